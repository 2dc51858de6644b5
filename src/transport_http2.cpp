#include <kcontrol/transport/impl/http2_call.ipp>
#include <kcontrol/transport/impl/http2_connection.ipp>
#include <kcontrol/transport/impl/http2_session.ipp>
