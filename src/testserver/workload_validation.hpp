// What is wrong with Deployments, ReplicaSets, StatefulSets and DaemonSets. Source of order and messages:
// pkg/apis/apps/validation/validation.go of Kubernetes 1.36
#pragma once

#include "testserver/field_validator.hpp"
#include "testserver/kind_validation.hpp"
#include "testserver/object_members.hpp"
#include "testserver/pod_validation.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

// A workload's selector; `kind` is for people.
inline void validate_selector(validator& v, const json::value& selector, const std::string& at, std::string_view kind) {
    bool readable = true, any = false;
    if (const json::value* labels = json::find(selector, {"matchLabels"}); labels != nullptr && labels->is_object()) {
        v.label_map(*labels, at + ".matchLabels", true);
        any = !labels->get_object().empty();
    }
    validator::each(selector, "matchExpressions", at, [&](const json::value& one, const std::string& where) {
        const std::string_view kind_of = json::get_string(one, {"operator"});
        const json::value* values = json::find(one, {"values"});
        const bool given = values != nullptr && values->is_array() && !values->get_array().empty();
        const bool of_values = kind_of == "In" || kind_of == "NotIn";
        any = true;
        if (!of_values && kind_of != "Exists" && kind_of != "DoesNotExist") {
            const json::value shown(kind_of);
            v.invalid(where + ".operator", &shown, "not a valid selector operator");
        } else if (of_values && !given) {
            v.required(where + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
        } else if (!of_values && given) {
            v.forbidden(where + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        } else {
            return;
        }
        readable = false;
    });
    if (!any) v.invalid(at, &selector, "empty selector is invalid for " + std::string(kind));
    if (!readable) v.invalid(at, &selector, "invalid label selector");
}

// As Go shows a strategy, whose members have their Go names there.
inline json::value shown_strategy(const json::value& strategy) {
    json::object shown;
    const json::value* rolling = json::find(strategy, {"rollingUpdate"});
    shown["Type"] = json::get_string(strategy, {"type"});
    shown["RollingUpdate"] = rolling == nullptr ? json::value() : *rolling;
    return json::value(std::move(shown));
}

inline void validate_deployment_strategy(validator& v, const json::value& spec) {
    const json::value* strategy = json::find(spec, {"strategy"});
    if (strategy == nullptr) return;
    const std::string_view type = json::get_string(*strategy, {"type"});
    const json::value* rolling = json::find(*strategy, {"rollingUpdate"});
    const std::string at = "spec.strategy.rollingUpdate";
    if (type == "Recreate") {
        if (rolling != nullptr && !rolling->is_null()) {
            v.forbidden(at, "may not be specified when strategy `type` is 'Recreate'");
        }
    } else if (type != "RollingUpdate") {
        v.unsupported_value("spec.strategy", shown_strategy(*strategy), R"("Recreate", "RollingUpdate")");
    } else if (rolling != nullptr && rolling->is_object()) {
        v.int_or_percent(*rolling, "maxUnavailable", at);
        v.int_or_percent(*rolling, "maxSurge", at);
        const auto is_none = [&](std::string_view name) {
            const json::value* found = json::find(*rolling, {name});
            return found != nullptr && (*found == 0 || (found->is_string() && found->get_string() == "0%"));
        };
        if (is_none("maxUnavailable") && is_none("maxSurge")) {
            v.invalid(at + ".maxUnavailable", json::find(*rolling, {"maxUnavailable"}),
                      "may not be 0 when `maxSurge` is 0");
        }
    }
}

// Source: validateRollingUpdateStatefulSet
inline void validate_stateful_unavailable(validator& v, const json::value* most, const std::string& at) {
    if (most == nullptr) return;
    const bool is_text = most->is_string();
    const std::string_view text = is_text ? std::string_view(most->get_string()) : std::string_view();
    const std::int64_t number = most->is_int64() ? most->get_int64() : 0;
    const bool percent = is_text && is_percent(text);
    if (is_text && !percent) v.invalid(at, most, percent_rule);
    if (number < 0) v.invalid(at, most, "must be greater than or equal to 0");
    const std::size_t digits = percent ? text.find_first_not_of('0') : 0;
    const std::string_view share = percent ? text.substr(digits, text.size() - 1 - digits) : std::string_view();
    if (percent ? share.empty() : number == 0) v.invalid(at, most, "cannot be 0");
    if (share.size() > 3 || (share.size() == 3 && share > "100")) {
        v.invalid(at, most, "must not be greater than 100%");
    }
}

inline void validate_stateful_set(validator& v, const json::value& spec) {
    const std::string_view pods = json::get_string(spec, {"podManagementPolicy"});
    if (!pods.empty() && pods != "OrderedReady" && pods != "Parallel") {
        v.invalid("spec.podManagementPolicy", json::find(spec, {"podManagementPolicy"}),
                  "must be 'OrderedReady' or 'Parallel'");
    }
    const json::value* strategy = json::find(spec, {"updateStrategy"});
    if (strategy == nullptr) return;
    const std::string_view type = json::get_string(*strategy, {"type"});
    const json::value* rolling = json::find(*strategy, {"rollingUpdate"});
    const bool rolls = rolling != nullptr && rolling->is_object();
    const std::string at = "spec.updateStrategy.rollingUpdate";
    if (type == "RollingUpdate") {
        if (rolls) {
            v.not_negative(*rolling, "partition", at);
            validate_stateful_unavailable(v, json::find(*rolling, {"maxUnavailable"}), at + ".maxUnavailable");
        }
    } else if (type == "OnDelete") {
        if (rolls) v.invalid(at, rolling, "only allowed for updateStrategy 'RollingUpdate'");
    } else if (!type.empty()) {
        const json::value shown = shown_strategy(*strategy);
        v.invalid("spec.updateStrategy", &shown, "must be 'RollingUpdate' or 'OnDelete'");
    }
}

inline bool selects(const json::value& labels, const json::value* of_template) {
    if (!labels.is_object()) return true;
    for (const auto& wanted : labels.get_object()) {
        const json::value* there = of_template == nullptr ? nullptr : json::find(*of_template, {wanted.key()});
        if (there == nullptr || *there != wanted.value()) return false;
    }
    return true;
}

// A pod template with the volumes that a StatefulSet's claim templates make, which come first and win.
inline json::value with_claims(const json::value& spec) {
    json::value pods = *json::find(spec, {"template"});
    json::object* inner = object_at(pods.as_object(), "spec");
    if (inner == nullptr) return pods;
    std::map<std::string, json::value> claims;
    validator::each(spec, "volumeClaimTemplates", {}, [&](const json::value& claim, const std::string&) {
        const std::string name(json::get_string(claim, {"metadata", "name"}));
        json::object source, volume;
        source["claimName"] = name;
        volume["name"] = name;
        volume["persistentVolumeClaim"] = std::move(source);
        claims.emplace(name, std::move(volume));
    });
    json::array volumes;
    for (const auto& [name, volume] : claims) volumes.push_back(volume);
    if (const json::array* own = array_at(*inner, "volumes")) {
        for (const auto& volume : *own) {
            if (!claims.contains(std::string(json::get_string(volume, {"name"})))) volumes.push_back(volume);
        }
    }
    (*inner)["volumes"] = std::move(volumes);
    return pods;
}

inline void validate_template(validator& v, const json::value& object) {
    const json::value* pods = json::find(object, {"spec", "template"});
    const json::value& spec = *json::find(object, {"spec"});
    if (pods != nullptr && pods->is_object() && json::find(spec, {"volumeClaimTemplates"}) != nullptr) {
        validator::each(spec, "volumeClaimTemplates", "spec", [&](const json::value& claim, const std::string& at) {
            validate_claim(v, json::find(claim, {"spec"}), at + ".spec");
        });
        const json::value whole = with_claims(spec);
        pod_validator(v).pods(&whole, "spec.template");
    } else {
        pod_validator(v).pods(pods, "spec.template");
    }
    const std::string_view policy = json::get_string(object, {"spec", "template", "spec", "restartPolicy"});
    if (policy == "OnFailure" || policy == "Never") {
        v.unsupported("spec.template.spec.restartPolicy", policy, R"("Always")");
    }
}

inline void validate_workload(validator& v, const std::string& id, const json::value& object) {
    // A ReplicaSet speaks of a deployment as well.
    const std::string_view kind = id == "statefulsets.apps" ? "statefulset"
                                  : id == "daemonsets.apps" ? "daemonset"
                                                            : "deployment";
    v.not_negative(*json::find(object, {"spec"}), "replicas", "spec");
    const json::value* labels = json::find(object, {"spec", "template", "metadata", "labels"});
    const json::value* selector = json::find(object, {"spec", "selector"});
    const json::value* matched = json::find(object, {"spec", "selector", "matchLabels"});
    if (selector == nullptr || selector->is_null()) v.required("spec.selector");
    const bool selected =
        selector != nullptr && !selector->is_null() && (matched == nullptr || selects(*matched, labels));
    const std::size_t before = v.problems.size();
    if (selector != nullptr && selector->is_object()) validate_selector(v, *selector, "spec.selector", kind);
    const json::value& spec = *json::find(object, {"spec"});
    if (v.problems.size() == before) {
        if (!selected) {
            v.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
        }
        validate_template(v, object);
    }
    if (id == "deployments.apps") validate_deployment_strategy(v, spec);
    if (id == "statefulsets.apps") validate_stateful_set(v, spec);
}

}  // namespace kcontrol::testing::detail
