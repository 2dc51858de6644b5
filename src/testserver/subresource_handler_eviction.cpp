// Evicting a pod: what budgets have to say, and its deletion.
#include "testserver/conditions.hpp"
#include "testserver/responses.hpp"
#include "testserver/selector_match.hpp"
#include "testserver/subresource_handler.hpp"
#include "testserver/timestamp.hpp"
#include "testserver/write_request.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

std::int64_t count_in(const json::value& object, std::initializer_list<std::string_view> path) {
    const json::value* found = json::find(object, path);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

bool is_pod_ready(const json::value& pod) {
    const json::value* all = json::find(pod, {"status", "conditions"});
    if (all == nullptr || !all->is_array()) return false;
    for (const auto& one : all->get_array()) {
        if (json::get_string(one, {"type"}) == "Ready") return json::get_string(one, {"status"}) == "True";
    }
    return false;
}

failure too_many_evictions(const std::string& why, int retry_after) {
    failure refused(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
    json::object cause;
    cause["reason"] = "DisruptionBudget";
    cause["message"] = why;
    refused.details.emplace();
    (*refused.details)["causes"] = json::array({std::move(cause)});
    if (retry_after > 0) (*refused.details)["retryAfterSeconds"] = retry_after;
    return refused;
}

}  // namespace

// Takes one disruption of the pod's budget, if it needs one. Source: registry/core/pod/rest/eviction.go, 1.36.
outcome<void> subresource_handler::spend_budget(const std::string& ns, const json::value& pod,
                                                const stored_object& stored, bool dry_run) {
    const std::string_view phase = json::get_string(pod, {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed" || phase == "Pending" || stored.terminating()) return {};
    const auto budgets = store_.table({"policy", "poddisruptionbudgets"});
    if (budgets == nullptr) return {};
    std::vector<namespaced_name> concerned;
    for (const auto& [key, budget] : budgets->objects_in(ns)) {
        const json::value whole = budget->value(budgets->type(), "policy/v1");
        if (selector_selects(json::find(whole, {"spec", "selector"}), stored.labels())) {
            concerned.push_back(key);
        }
    }
    if (concerned.empty()) return {};
    if (concerned.size() > 1) {
        return failure(500, "",
                       "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
                       "support.");
    }
    const std::string& name = concerned.front().name;
    const json::value budget = budgets->get(concerned.front())->value(budgets->type(), "policy/v1");
    const std::int64_t healthy = count_in(budget, {"status", "currentHealthy"});
    const std::int64_t needed = count_in(budget, {"status", "desiredHealthy"});
    if (!is_pod_ready(pod)) {
        const bool always = json::get_string(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow";
        if (always || (needed > 0 && healthy >= needed)) return {};
    }
    if (count_in(budget, {"status", "observedGeneration"}) < count_in(budget, {"metadata", "generation"})) {
        return too_many_evictions("The disruption budget " + name + " is still being processed by the server.", 10);
    }
    if (count_in(budget, {"status", "disruptionsAllowed"}) <= 0) {
        return too_many_evictions("The disruption budget " + name + " does not allow evicting pods currently", 0);
    }
    if (dry_run) return {};
    write_target target("v1", ns, name);
    target.subresource = "status";
    const std::string now = format_timestamp(env_.wall_now());
    const std::string evicted(json::get_string(pod, {"metadata", "name"}));
    const auto spent = store_.patch(*budgets, target, [&](json::value& whole) -> outcome<void> {
        const std::int64_t left = count_in(whole, {"status", "disruptionsAllowed"}) - 1;
        put_at_path(whole, ".status.disruptionsAllowed", json::value(left));
        json::value& disrupted = whole.at("status").as_object()["disruptedPods"];
        if (!disrupted.is_object()) disrupted = json::object();
        disrupted.get_object()[evicted] = now;
        if (left > 0) return {};
        json::array& conditions = conditions_in(whole.as_object());
        put_condition(conditions, "DisruptionAllowed", false, "InsufficientPods", "", now);
        for (auto& one : conditions) {
            if (json::get_string(one, {"type"}) != "DisruptionAllowed") continue;
            one.get_object()["observedGeneration"] = count_in(whole, {"status", "observedGeneration"});
            one.get_object()["message"] = "";
        }
        return {};
    });
    if (!spent) return spent.error();
    return {};
}

outcome<http::response> subresource_handler::answer_eviction(const http::server_request& request,
                                                             const request_info& info, resource_table& pods) {
    auto body = parse_document(request, "couldn't read the Eviction: ");
    if (!body) return body.error();
    if (json::get_string(*body, {"metadata", "name"}) != info.name) {
        return failure::bad_request("name in URL does not match name in Eviction object");
    }
    const object_ptr stored = pods.get({info.namespace_, info.name});
    if (stored == nullptr) return failure::not_found(pods.type().id(), info.name);
    http::request deletion;  // its options stand in the Eviction
    if (const json::value* given = json::find(*body, {"deleteOptions"})) deletion.body = json::serialize(*given);
    auto asked = delete_options(deletion, info);
    if (!asked) return asked.error();
    const json::value pod = stored->value(pods.type(), "v1");
    if (auto allowed = spend_budget(info.namespace_, pod, *stored, asked->dry_run()); !allowed) return allowed.error();
    if (!asked->dry_run()) {
        write_target target("v1", info.namespace_, info.name);
        target.subresource = "status";
        target.manager = manager_of(request, info);
        const std::string now = format_timestamp(env_.wall_now());
        const auto marked = store_.patch(pods, target, [&now](json::value& whole) -> outcome<void> {
            put_condition(conditions_in(whole.get_object()), "DisruptionTarget", true, "EvictionByEvictionAPI",
                          "Eviction API: evicting", now);
            return {};
        });
        if (!marked) return marked.error();
    }
    const auto removed = direct_.remove(pods, {info.namespace_, info.name}, *asked);
    if (!removed) return removed.error();
    return json_answer(201, success_status(201));
}

}  // namespace kcontrol::testing::detail
