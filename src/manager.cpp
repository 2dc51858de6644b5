#include <kcontrol/manager/impl/health.ipp>
#include <kcontrol/manager/impl/manager.ipp>
