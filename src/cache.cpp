#include <kcontrol/cache/impl/event_queue.ipp>
#include <kcontrol/cache/impl/handler_lane.ipp>
#include <kcontrol/cache/impl/index.ipp>
#include <kcontrol/cache/impl/informer.ipp>
#include <kcontrol/cache/impl/shared_watch.ipp>
#include <kcontrol/cache/impl/snapshot.ipp>
#include <kcontrol/cache/impl/store.ipp>
#include <kcontrol/cache/impl/subscription.ipp>
