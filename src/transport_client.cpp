#include <kcontrol/transport/impl/client.ipp>
#include <kcontrol/transport/impl/connection.ipp>
#include <kcontrol/transport/impl/proxy_tunnel.ipp>
