#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// Its address is the place of a manager's webhook server.
inline constexpr char webhook_server_key = 'w';

// A group without a dot would not make a name of three parts.
inline std::string domain_of(const std::string& group) {
    if (group.empty()) return "kb.io";
    return group.find('.') == std::string::npos ? group + ".kb.io" : group;
}

inline webhook_registration webhook_builder_core::registration(webhook_registration::kind what,
                                                               std::string path) const {
    const bool mutating = what == webhook_registration::kind::mutating;
    const group_version_kind& kind = kind_.gvk;
    const std::string name = (mutating ? "m" : "v") + ascii_lower(kind.kind) + "-" + kind.version;
    webhook_registration out(what, name + "." + domain_of(kind.group), std::move(path));
    webhook_rule rule;
    rule.operation("CREATE").operation("UPDATE");
    if (!mutating) rule.operation("DELETE");
    rule.api_group(kind.group).api_version(kind.version).resource(kind_.plural);
    rule.scope(kind_.scope == resource_scope::cluster ? "Cluster" : "Namespaced");
    out.rule(std::move(rule));
    if (registered) registered(out);
    return out;
}

KCONTROL_DECL result<void> webhook_builder_core::complete() {
    if (defaulters.empty() && validators.empty() && conversions.empty()) {
        return error(errc::invalid_argument, "webhook_builder of " + kind_.gvk.kind +
                                                 ": there is nothing to serve; give it a defaulter(), a validator() "
                                                 "or converts<…>()");
    }
    if (!defaulters.empty()) {
        auto at = registration(webhook_registration::kind::mutating,
                               mutate_path.empty() ? webhook_path("mutate", kind_.gvk) : mutate_path);
        auto added = server_->add_admission(std::move(at), make_defaulting_handler(kind_, std::move(defaulters)));
        if (!added) return added;
    }
    if (!validators.empty()) {
        auto at = registration(webhook_registration::kind::validating,
                               validate_path.empty() ? webhook_path("validate", kind_.gvk) : validate_path);
        auto added = server_->add_admission(std::move(at), make_validating_handler(kind_, std::move(validators)));
        if (!added) return added;
    }
    for (kind_conversion& one : conversions) {
        auto added = server_->add_conversion(std::move(one));
        if (!added) return added;
    }
    return {};
}

}  // namespace detail

KCONTROL_DECL std::string webhook_path(std::string_view verb, const group_version_kind& kind) {
    std::string out = "/" + std::string(verb) + "-" + kind.group + "-" + kind.version + "-" + kind.kind;
    std::replace(out.begin(), out.end(), '.', '-');
    return ascii_lower(out);
}

KCONTROL_DECL webhook_server& get_webhook_server(manager& m, webhook_server_options options) {
    std::shared_ptr<void>& place = m.attachment(&detail::webhook_server_key);
    if (!place) {
        const auto made = std::make_shared<webhook_server>(m.env(), m.get_executor(), std::move(options), m.log());
        place = made;
        const std::weak_ptr weak(made);
        m.add_readyz_check("webhooks", [weak]() -> result<void> {
            const auto server = weak.lock();
            return server ? server->ready() : result<void>(error(errc::unavailable, "the server is gone"));
        });
        m.metrics().collect([weak](metrics_writer& out) {
            if (const auto server = weak.lock()) server->write_metrics(out);
        });
        const auto run = [weak](std::stop_token stop) -> awaitable<result<void>> {
            const auto server = weak.lock();
            if (!server) co_return result<void>();
            co_return co_await server->run(std::move(stop));
        };
        const auto added = m.add(runnable("webhooks", run, run_group::serving));
        // Of a manager that is stopping: there is nobody to serve.
        if (!added) m.log().error("webhooks are not served", {{"error", added.error().what()}});
    }
    return *static_cast<webhook_server*>(place.get());
}

}  // namespace kcontrol
