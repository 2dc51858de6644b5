// The builder of webhooks: defaulters, validators and conversions of a kind, served by a manager's webhook server.
#pragma once

#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/webhook/admission_functions.hpp>
#include <kcontrol/webhook/webhook_server.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The webhook server of a manager, made at the first call with these options and run with it from then on, whether
/// this process leads or not. It adds the check "webhooks" to /readyz and its metrics to the manager's. Options of
/// later calls count for nothing. Lives as long as the manager.
KCONTROL_DECL webhook_server& get_webhook_server(manager& m, webhook_server_options options = {});

/// "/mutate-stable-example-com-v1-crontab", and "/mutate--v1-pod" for the core group, as controller-runtime makes them.
/// `verb`: "mutate" or "validate".
KCONTROL_DECL std::string webhook_path(std::string_view verb, const group_version_kind& kind);

namespace detail {

// The part of a builder that does not depend on types.
class webhook_builder_core {
public:
    webhook_builder_core(webhook_server& s, resource_info k) : server_(&s), kind_(std::move(k)) {}

    KCONTROL_DECL result<void> complete();

    std::vector<default_step> defaulters;
    std::vector<validate_step> validators;
    std::vector<kind_conversion> conversions;
    std::string mutate_path, validate_path;  ///< empty: the usual ones
    std::function<void(webhook_registration&)> registered;

private:
    webhook_registration registration(webhook_registration::kind what, std::string path) const;

    webhook_server* server_;
    resource_info kind_;
};

}  // namespace detail

/// The webhooks of T in the making.
template <class T>
class webhook_builder_for {
public:
    /// Edits a copy of each object that is created or updated: `(T&)` or `(T&, const admission_context&)`, a plain
    /// function or a coroutine. An error refuses the request. Several are called one after the other.
    template <class F>
    webhook_builder_for& defaulter(F f) {
        if constexpr (detail::assert_defaults<T, F>()) {
            core_.defaulters.push_back(detail::make_default_step<T, F>(std::move(f)));
        }
        return *this;
    }
    /// Says whether an object may be created, updated or deleted: `(const admission_of<T>&)`, or that and `(const
    /// admission_context&)`, a plain function or a coroutine of an admission_verdict. Several are asked one after the
    /// other: warnings and causes add up.
    template <class F>
    webhook_builder_for& validator(F f) {
        if constexpr (detail::assert_validates<T, F>()) {
            core_.validators.push_back(detail::make_validate_step<T, F>(std::move(f)));
        }
        return *this;
    }
    /// Converts T, the hub, from and to these versions, at "/convert".
    template <resource... Spokes>
    webhook_builder_for& converts() {
        core_.conversions.push_back(conversion_of<T, Spokes...>());
        return *this;
    }
    /// In place of the usual paths.
    webhook_builder_for& mutate_path(std::string path) { return core_.mutate_path = std::move(path), *this; }
    /// Of the validator, in place of webhook_path()'s.
    webhook_builder_for& validate_path(std::string path) { return core_.validate_path = std::move(path), *this; }
    /// Edits what API servers are told of the defaulter (what() is mutating) and the validator (validating), before
    /// complete(): what they are asked about, what follows if they can't be. Unless it says otherwise the defaulter is
    /// asked about CREATE and UPDATE, the validator about DELETE too, of this version of the kind without its
    /// subresources, and their names are as kubebuilder's: "mcrontab-v1.stable.example.com", "vpod-v1.kb.io".
    webhook_builder_for& registration(std::function<void(webhook_registration&)> edit) {
        return core_.registered = std::move(edit), *this;
    }

    /// Hands them to the server. Errors: invalid_argument (there is nothing to serve; a path is taken).
    result<void> complete() { return core_.complete(); }

private:
    friend class webhook_builder;
    webhook_builder_for(webhook_server& s, resource_info kind) : core_(s, std::move(kind)) {}

    detail::webhook_builder_core core_;
};

/// Begins to build webhooks: `webhook_builder(m).for_<crontab>().defaulter(f).validator(g).complete()`.
class webhook_builder {
public:
    /// At the manager's webhook server; get_webhook_server(m, options) before it says how that is.
    explicit webhook_builder(manager& m) : server_(&get_webhook_server(m)) {}
    /// At a server of one's own.
    explicit webhook_builder(webhook_server& s) : server_(&s) {}

    /// Of a kind known at compile time.
    template <detail::typed_kind T>
    webhook_builder_for<T> for_() {
        return webhook_builder_for<T>(*server_, resource_of<T>());
    }
    /// Of a kind known at run time: `for_<dynamic_object>(info)`.
    template <run_time_object T>
    webhook_builder_for<T> for_(const resource_info& kind) {
        return webhook_builder_for<T>(*server_, kind);
    }

private:
    webhook_server* server_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/webhook_builder.ipp>
#endif
