// Apart from the manager, for programs without one that answer health checks.
#include <kcontrol/manager/impl/health.ipp>
