// The CA bundle of webhook configurations: caBundle, or on request the whole configuration. The program writes it with
// server-side apply, and repairs it after a change by another writer.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/webhook/webhook_configuration.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class certificate_manager;

/// What is written, and under which field manager.
class ca_bundle_options {
public:
    /// The owner of the fields, in metadata.managedFields.
    ca_bundle_options& field_manager(std::string name) { return manager_ = std::move(name), *this; }
    /// Whether the program manages whole configurations, which then need no manifest; else caBundle only. A
    /// CustomResourceDefinition has to be there in either case.
    ca_bundle_options& whole(bool yes) { return whole_ = yes, *this; }
    /// How often they are checked, besides each time that the bundle changes.
    ca_bundle_options& check_period(duration d) { return check_period_ = d, *this; }

    const std::string& field_manager() const noexcept { return manager_; }
    bool is_whole() const noexcept { return whole_; }  ///< default false: caBundle only
    duration check_period() const noexcept { return check_period_; }

private:
    std::string manager_ = "kcontrol-webhooks";
    bool whole_ = false;
    duration check_period_ = std::chrono::seconds(10);
};

/// Writes the bundle into the configurations of that name and into the definitions of the conversions, these fields
/// alone. All replicas may run one: they write the same. The account needs get and patch of the configurations and
/// definitions by name, and create where whole ones are managed.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor.
class ca_bundle_injector {
public:
    /// `name`: of both configurations; `webhooks`: what webhook_server::webhooks() says; `address`: where API servers
    /// call them. The environment outlives it.
    ca_bundle_injector(environment& env, client c, std::string name, std::vector<webhook_registration> webhooks,
                       webhook_address address, ca_bundle_options options = {}, logger log = {})
        : env_(env),
          api_(std::move(c)),
          name_(std::move(name)),
          webhooks_(std::move(webhooks)),
          address_(std::move(address)),
          options_(std::move(options)),
          log_(std::move(log)) {}

    /// Writes what differs from the wanted state. Returns how many objects were written. Errors: those of
    /// webhook_configurations() and of the API server; invalid_config, naming it, where an object or a webhook in it is
    /// not there. The others are written all the same; after `stop` nothing is.
    KCONTROL_DECL awaitable<result<int>> repair(std::string bundle, std::stop_token stop = {});

    /// Does so until `stop`, with the bundle of that manager; a failure is logged once while it stays the same. The
    /// manager outlives it.
    KCONTROL_DECL awaitable<void> run(certificate_manager& from, std::stop_token stop);

private:
    KCONTROL_DECL awaitable<result<bool>> repair_one(const json::value& wanted, std::stop_token stop);

    environment& env_;
    client api_;
    std::string name_;
    std::vector<webhook_registration> webhooks_;
    webhook_address address_;
    ca_bundle_options options_;
    logger log_;
    std::string told_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/ca_bundle_injector.ipp>
#endif
