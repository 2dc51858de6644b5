#include <kcontrol/webhook/impl/authority_set.ipp>
#include <kcontrol/webhook/impl/ca_bundle_keeper.ipp>
#include <kcontrol/webhook/impl/certificate_keeper.ipp>
#include <kcontrol/webhook/impl/kept_webhooks.ipp>
#include <kcontrol/webhook/impl/webhook_configuration.ipp>
