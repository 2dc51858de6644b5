#include <kcontrol/transport/impl/server.ipp>
