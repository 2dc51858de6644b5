#include <kcontrol/workqueue/impl/backpressure.ipp>
#include <kcontrol/workqueue/impl/cause.ipp>
#include <kcontrol/workqueue/impl/delay_heap.ipp>
#include <kcontrol/workqueue/impl/queue_core.ipp>
#include <kcontrol/workqueue/impl/rate_limit.ipp>
#include <kcontrol/workqueue/impl/rate_limiter.ipp>
#include <kcontrol/workqueue/impl/ready_levels.ipp>
