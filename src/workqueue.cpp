#include <kcontrol/workqueue/impl/rate_limit.ipp>
