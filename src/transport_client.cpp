#include <kcontrol/transport/impl/client.ipp>
#include <kcontrol/transport/impl/connection.ipp>
