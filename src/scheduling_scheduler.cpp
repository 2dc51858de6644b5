#include <kcontrol/scheduling/impl/run_scheduler.ipp>
#include <kcontrol/scheduling/impl/scheduler.ipp>
