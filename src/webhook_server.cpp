#include <kcontrol/webhook/impl/webhook_builder.ipp>
#include <kcontrol/webhook/impl/webhook_flags.ipp>
#include <kcontrol/webhook/impl/webhook_server.ipp>
