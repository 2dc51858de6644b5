#include "node/node_condition.hpp"

#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/json/members.hpp>

#include <chrono>
#include <utility>

namespace gpu_labeler {
namespace {

namespace json = kcontrol::json;
using kcontrol::result;

constexpr auto patience = std::chrono::seconds(10);

const kcontrol::resource_info& nodes() {
    static const auto info = kcontrol::dynamic_resource({"", "v1", "Node"}, "nodes", kcontrol::resource_scope::cluster);
    return info;
}

std::string_view status_of(node_health health) {
    switch (health) {
    case node_health::ok: return "True";
    case node_health::unknown: return "Unknown";
    case node_health::degraded:
    case node_health::failed: break;
    }
    return "False";
}

std::optional<node_health> health_of(std::string_view status, std::string_view reason) {
    if (status == "True") return node_health::ok;
    if (status == "Unknown") return node_health::unknown;
    if (status != "False") return std::nullopt;
    return reason == "GPUFailed" ? node_health::failed : node_health::degraded;
}

std::string label_text(const std::optional<node_verdict>& verdict) {
    json::writer out;
    out.begin_object();
    begin_object(out, "metadata");
    if (verdict) {
        begin_object(out, "labels");
        out.member(health_label, to_string(verdict->health));
        out.end_object();
    }
    out.end_object();
    out.end_object();
    return out.take();
}

}  // namespace

told_health read_health(const json::value& node) {
    told_health out;
    out.uid = json::get_string(node, {"metadata", "uid"});
    const auto* conditions = json::find(node, {"status", "conditions"});
    if (!conditions || !conditions->is_array()) return out;
    for (const auto& each : conditions->get_array()) {
        if (json::get_string(each, {"type"}) != health_condition_type) continue;
        const std::string reason(json::get_string(each, {"reason"}));
        const auto health = health_of(json::get_string(each, {"status"}), reason);
        if (health) out.verdict = node_verdict{*health, reason, std::string(json::get_string(each, {"message"}))};
        out.since = json::get_string(each, {"lastTransitionTime"});
    }
    return out;
}

std::string condition_text(const std::optional<node_verdict>& verdict, std::string_view since, std::string_view now) {
    json::writer out;
    out.begin_object();
    begin_object(out, "status");
    if (verdict) {
        begin_array(out, "conditions");
        out.begin_object();
        out.member("type", health_condition_type);
        out.member("status", status_of(verdict->health));
        out.member("reason", verdict->reason);
        out.member("message", verdict->message);
        out.member("lastTransitionTime", since);
        out.member("lastHeartbeatTime", now);
        out.end_object();
        out.end_array();
    }
    out.end_object();
    out.end_object();
    return out.take();
}

// An empty patch needs no further right than a write.
kcontrol::awaitable<result<told_health>> node_condition::look(std::stop_token stop) {
    kcontrol::write_options options;
    options.dry_run().field_manager(std::string(health_field_manager)).deadline(patience).stop(std::move(stop));
    const kcontrol::namespaced_name key("", node_);
    auto answer = co_await api_.patch(nodes(), key, "application/merge-patch+json", "{}", std::move(options));
    if (!answer) co_return explained(answer.error());
    co_return read_health(json::value(answer->as<kcontrol::dynamic_object>()->content.tree()));
}

kcontrol::awaitable<result<void>> node_condition::write(const std::optional<node_verdict>& verdict, std::string text,
                                                        std::string uid, std::stop_token stop) {
    auto labels = label_text(verdict);
    const auto labelled = co_await apply(std::move(labels), std::string(), uid, stop);
    if (!labelled) co_return labelled.error();
    auto done = co_await apply(std::move(text), std::string("status"), std::move(uid), std::move(stop));
    co_return done;
}

kcontrol::awaitable<result<void>> node_condition::apply(std::string text, std::string subresource, std::string uid,
                                                        std::stop_token stop) {
    kcontrol::apply_options options{std::string(health_field_manager)};
    options.force().precondition_uid(std::move(uid)).deadline(patience).stop(std::move(stop));
    options.subresource(std::move(subresource));
    const kcontrol::namespaced_name key("", node_);
    const auto answer = co_await api_.apply(nodes(), key, std::move(text), std::move(options));
    if (!answer) co_return explained(answer.error());
    co_return result<void>();
}

kcontrol::error node_condition::explained(const kcontrol::error& what) const {
    if (what == kcontrol::condition::access_denied) {
        return kcontrol::error(what.code(), "Node " + node_ + ": " + what.message() +
                                                "; --report-health needs the rights to patch nodes and nodes/status");
    }
    return what.with_context("Node " + node_);
}

}  // namespace gpu_labeler
