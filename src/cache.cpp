#include <kcontrol/cache/impl/informer.ipp>
#include <kcontrol/cache/impl/store.ipp>
