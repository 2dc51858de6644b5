#include <kcontrol/cache/impl/informer.ipp>
#include <kcontrol/cache/impl/shared_watch.ipp>
#include <kcontrol/cache/impl/store.ipp>
