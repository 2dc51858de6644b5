#include <kcontrol/manager/impl/manager.ipp>
