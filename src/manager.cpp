#include <kcontrol/manager/impl/manager.ipp>
#include <kcontrol/manager/impl/run_groups.ipp>
