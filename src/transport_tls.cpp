#include <kcontrol/transport/impl/byte_stream.ipp>
#include <kcontrol/transport/impl/byte_stream_linux.ipp>
#include <kcontrol/transport/impl/keyed_digest.ipp>
#include <kcontrol/transport/impl/listen_address.ipp>
#include <kcontrol/transport/impl/self_signed.ipp>
#include <kcontrol/transport/impl/tls_context.ipp>
#include <kcontrol/transport/impl/tls_stream.ipp>
