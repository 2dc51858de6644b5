#include <kcontrol/transport/impl/websocket.ipp>
