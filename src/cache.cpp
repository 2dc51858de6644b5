#include <kcontrol/cache/impl/store.ipp>
