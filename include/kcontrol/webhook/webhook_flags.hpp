// The flags of a program of run() that serves webhooks, as kubebuilder's programs have them.
#pragma once

#include <kcontrol/manager/run_options.hpp>
#include <kcontrol/webhook/webhook_configuration.hpp>
#include <kcontrol/webhook/webhook_server_options.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// --webhook-bind-address, --webhook-cert-path, --webhook-cert-name, --webhook-cert-key, --webhook-client-ca-name and
/// --webhook-shutdown-delay; and --print-webhooks, with which the program prints the configurations of its webhooks
/// (print_webhooks) and ends, without a cluster: for the address that --webhook-service or --webhook-url says. Outlives
/// run().
class webhook_flags {
public:
    /// `defaults`: what holds where no flag says otherwise.
    explicit webhook_flags(webhook_server_options defaults = {}) : options_(std::move(defaults)) {}

    /// What --print-webhooks calls the configurations, and the address in them where no flag says one. Without it they
    /// are called "webhooks" and one of the flags is demanded.
    webhook_flags& registered_as(std::string name, webhook_address address) {
        return name_ = std::move(name), address_ = std::move(address), *this;
    }

    KCONTROL_DECL void add_to(run_options& to);  ///< adds the flags, and the printing in place of a run

    /// What the command line says, over the defaults.
    KCONTROL_DECL webhook_server_options options() const;
    /// Whether the program only prints: what it needs for more than its webhooks may be missing.
    bool is_printing() const noexcept { return print_; }
    /// Of the configurations that are printed. Default "webhooks".
    const std::string& name() const noexcept { return name_; }
    /// Where API servers find the webhooks, as flags or registered_as() say.
    const std::optional<webhook_address>& address() const noexcept { return address_; }

private:
    webhook_server_options options_;
    std::string certificate_, key_;
    std::string name_ = "webhooks";
    std::optional<webhook_address> address_;
    bool print_ = false;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/webhook_flags.ipp>
#endif
