#include <kcontrol/webhook/impl/authority_set.ipp>
#include <kcontrol/webhook/impl/ca_bundle_injector.ipp>
#include <kcontrol/webhook/impl/certificate_manager.ipp>
#include <kcontrol/webhook/impl/managed_webhooks.ipp>
#include <kcontrol/webhook/impl/webhook_configuration.ipp>
