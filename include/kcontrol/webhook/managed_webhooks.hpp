// Webhooks that need no certificate files and no manifest: a manager's webhook server that manages its own authority
// and its registration with the API server.
#pragma once

#include <kcontrol/manager/manager.hpp>
#include <kcontrol/webhook/ca_bundle_injector.hpp>
#include <kcontrol/webhook/certificate_manager.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// What a program manages of its webhooks by itself.
class managed_webhook_options {
public:
    /// `name`: of the configurations. `address`: where API servers call.
    managed_webhook_options(std::string name, webhook_address address)
        : name_(std::move(name)), address_(std::move(address)) {
        if (address_.base_url().empty()) certificates_.service(address_.service_namespace(), address_.service_name());
        bundles_.whole(true);
    }

    /// The Secret of the authorities, names that the certificate has besides the Service's, and how long it lasts.
    certificate_manager_options& certificates() noexcept { return certificates_; }
    /// As whom it writes; with whole(false) caBundle only, of configurations that are there.
    ca_bundle_options& bundles() noexcept { return bundles_; }

    const certificate_manager_options& certificates() const noexcept {
        return certificates_;
    }                                                                       ///< the same, to look at
    const ca_bundle_options& bundles() const noexcept { return bundles_; }  ///< the same, to look at
    const std::string& name() const noexcept { return name_; }              ///< of both configurations
    const webhook_address& address() const noexcept { return address_; }    ///< where API servers call

private:
    std::string name_;
    webhook_address address_;
    certificate_manager_options certificates_;
    ca_bundle_options bundles_;
};

/// The webhook server of a manager (get_webhook_server), with a certificate of an authority in a Secret that all its
/// replicas share, and what its builders were told is written into the configurations and definitions as long as the
/// manager runs. To be called before every other get_webhook_server() and webhook_builder of that manager; the
/// server has its own certificate already otherwise. The account needs what certificate_manager and ca_bundle_injector
/// say.
KCONTROL_DECL webhook_server& get_managed_webhook_server(manager& m, managed_webhook_options managed,
                                                         webhook_server_options options = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/managed_webhooks.ipp>
#endif
