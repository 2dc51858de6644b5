// What is wrong with objects of small kinds: keys and names that are there twice, numbers that are too small.
#pragma once

#include <kcontrol/values/quantity.hpp>

#include "testserver/field_validator.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

// Keys of ConfigMaps and Secrets name files. Those of `other`, a map beside it, are taken.
inline void validate_data_keys(validator& v, const json::value& object, std::string_view map, std::string_view other) {
    const json::value* data = json::find(object, {map});
    if (data == nullptr || !data->is_object()) return;
    for (const auto& entry : data->get_object()) {
        const json::value key(entry.key());
        const std::string field = std::string(map) + "[" + std::string(entry.key()) + "]";
        if (!is_config_key(entry.key())) v.invalid(field, &key, config_key_rule);
        if (other.empty() || json::find(object, {other, entry.key()}) == nullptr) continue;
        v.invalid(field, &key, "duplicate of key present in " + std::string(other));
    }
}

// What a type of Secret promises to hold. Source: ValidateSecret
inline void validate_secret_type(validator& v, const json::value& secret) {
    const std::string_view type = json::get_string(secret, {"type"});
    const auto has = [&](std::string_view key) { return json::find(secret, {"data", key}) != nullptr; };
    const auto need = [&](std::string_view key) {
        if (!has(key)) v.required("data[" + std::string(key) + "]");
    };
    if (type == "kubernetes.io/service-account-token") {
        constexpr std::string_view name = "kubernetes.io/service-account.name";
        if (json::get_string(secret, {"metadata", "annotations", name}).empty()) {
            v.required("metadata.annotations[" + std::string(name) + "]");
        }
    } else if (type == "kubernetes.io/dockercfg") {
        need(".dockercfg");
    } else if (type == "kubernetes.io/dockerconfigjson") {
        need(".dockerconfigjson");
    } else if (type == "kubernetes.io/basic-auth") {
        if (has("username") || has("password")) return;
        need("username");
        need("password");
    } else if (type == "kubernetes.io/ssh-auth") {
        need("ssh-privatekey");
    } else if (type == "kubernetes.io/tls") {
        need("tls.crt");
        need("tls.key");
    }
}

inline void validate_endpoint_slice(validator& v, const json::value& slice) {
    if (json::get_string(slice, {"addressType"}) == "FQDN") return;
    validator::each(slice, "endpoints", {}, [&](const json::value& endpoint, const std::string& at) {
        validator::each(endpoint, "addresses", at,
                        [&](const json::value& address, const std::string& where) { v.endpoint_ip(address, where); });
    });
}

inline void validate_autoscaler(validator& v, const json::value& spec) {
    const json::value *least = json::find(spec, {"minReplicas"}), *most = json::find(spec, {"maxReplicas"});
    const std::int64_t most_count = most != nullptr && most->is_int64() ? most->get_int64() : 0;
    if (least != nullptr && least->is_int64() && least->get_int64() < 1) {
        v.invalid("spec.minReplicas", least, "must be greater than or equal to 1");
    }
    const json::value zero = 0;
    if (most_count < 1) v.invalid("spec.maxReplicas", most == nullptr ? &zero : most, "must be greater than 0");
    if (least != nullptr && least->is_int64() && most_count < least->get_int64()) {
        v.invalid("spec.maxReplicas", most == nullptr ? &zero : most, "must be greater than or equal to `minReplicas`");
    }
}

inline void validate_disruption_budget(validator& v, const json::value& spec) {
    const auto member_or = [&](std::string_view name) {
        const json::value* found = json::find(spec, {name});
        return found == nullptr ? json::value() : *found;
    };
    if (!member_or("minAvailable").is_null() && !member_or("maxUnavailable").is_null()) {
        json::object shown;  // as Go shows such a spec
        shown["MinAvailable"] = member_or("minAvailable");
        shown["Selector"] = member_or("selector");
        shown["MaxUnavailable"] = member_or("maxUnavailable");
        shown["UnhealthyPodEvictionPolicy"] = member_or("unhealthyPodEvictionPolicy");
        const json::value whole(std::move(shown));
        v.invalid("spec", &whole, "minAvailable and maxUnavailable cannot be both set");
    }
    v.int_or_percent(spec, "minAvailable", "spec");
    v.int_or_percent(spec, "maxUnavailable", "spec");
}

inline void validate_ingress(validator& v, const json::value& spec) {
    validator::each(spec, "rules", "spec", [&](const json::value& rule, const std::string& at) {
        const json::value* http = json::find(rule, {"http"});
        if (http == nullptr) return;
        validator::each(*http, "paths", at + ".http", [&](const json::value& one, const std::string& where) {
            const std::string_view type = json::get_string(one, {"pathType"}), path = json::get_string(one, {"path"});
            if (type.empty()) return v.required(where + ".pathType", "pathType must be specified");
            if (type != "Exact" && type != "Prefix" && type != "ImplementationSpecific") {
                return v.unsupported(where + ".pathType", type, R"("Exact", "ImplementationSpecific", "Prefix")");
            }
            if (type == "ImplementationSpecific" || path.starts_with('/')) return;
            const json::value shown(path);
            v.invalid(where + ".path", &shown, "must be an absolute path");
        });
    });
}

// Source: ValidatePolicyRule of pkg/apis/rbac/validation
inline void validate_role(validator& v, const json::value& role, bool namespaced) {
    const auto is_empty = [](const json::value& of, std::string_view list) {
        const json::value* found = json::find(of, {list});
        return found == nullptr || !found->is_array() || found->get_array().empty();
    };
    validator::each(role, "rules", {}, [&](const json::value& rule, const std::string& at) {
        if (!is_empty(rule, "nonResourceURLs")) {
            const json::value* urls = json::find(rule, {"nonResourceURLs"});
            if (namespaced) {
                v.invalid(at + ".nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs");
            }
            if (!is_empty(rule, "apiGroups") || !is_empty(rule, "resources") || !is_empty(rule, "resourceNames")) {
                v.invalid(at + ".nonResourceURLs", urls,
                          "rules cannot apply to both regular resources and non-resource URLs");
            }
            return;
        }
        if (is_empty(rule, "apiGroups"))
            v.required(at + ".apiGroups", "resource rules must supply at least one api group");
        if (is_empty(rule, "resources"))
            v.required(at + ".resources", "resource rules must supply at least one resource");
    });
    // Said last, for this kind of rule is declared.
    validator::each(role, "rules", {}, [&](const json::value& rule, const std::string& at) {
        if (is_empty(rule, "verbs")) v.required(at + ".verbs");
    });
}

inline void validate_role_binding(validator& v, const json::value& binding, bool namespaced) {
    const std::string_view group = json::get_string(binding, {"roleRef", "apiGroup"});
    const std::string_view kind = json::get_string(binding, {"roleRef", "kind"});
    if (group != "rbac.authorization.k8s.io") {
        v.unsupported("roleRef.apiGroup", group, R"("rbac.authorization.k8s.io")");
    }
    if (kind != "ClusterRole" && (kind != "Role" || !namespaced)) {
        v.unsupported("roleRef.kind", kind, namespaced ? R"("Role", "ClusterRole")" : R"("ClusterRole")");
    }
    validator::each(binding, "subjects", {}, [&](const json::value& subject, const std::string& at) {
        const std::string_view of = json::get_string(subject, {"kind"});
        if (of != "ServiceAccount" && of != "User" && of != "Group") {
            v.unsupported(at + ".kind", of, R"("ServiceAccount", "User", "Group")");
        }
    });
    // Said last, for this kind of rule is declared.
    validator::each(binding, "subjects", {}, [&](const json::value& subject, const std::string& at) {
        if (json::get_string(subject, {"name"}).empty()) v.required(at + ".name");
    });
    if (json::get_string(binding, {"roleRef", "name"}).empty()) v.required("roleRef.name");
}

// Items whose `name` is that of one before.
inline void validate_unique(validator& v, const json::value& of, std::string_view list, const std::string& at,
                            std::string_view name) {
    std::set<std::string> used;
    validator::each(of, list, at, [&](const json::value& item, const std::string& where) {
        const json::value* given = json::find(item, {name});
        const json::value shown = given == nullptr ? json::value("") : *given;
        if (!used.insert(json::serialize(shown)).second) v.duplicate(where + "." + std::string(name), shown);
    });
}

inline void validate_claim(validator& v, const json::value* spec, const std::string& at) {
    const json::value* modes = spec == nullptr ? nullptr : json::find(*spec, {"accessModes"});
    if (modes == nullptr || !modes->is_array() || modes->get_array().empty()) {
        v.required(at + ".accessModes", "at least 1 access mode is required");
    }
    const json::value* storage = spec == nullptr ? nullptr : json::find(*spec, {"resources", "requests", "storage"});
    if (storage == nullptr || !storage->is_string()) return v.required(at + ".resources[storage]");
    const auto amount = quantity::parse(std::string_view(storage->get_string()));
    if (amount && amount->sign() <= 0) v.invalid(at + ".resources[storage]", storage, "must be greater than zero");
}

// As Go shows a taint, whose members have their Go names there.
inline void validate_taints(validator& v, const json::value& node) {
    std::set<std::string> used;
    const json::value* spec = json::find(node, {"spec"});
    if (spec == nullptr) return;
    validator::each(*spec, "taints", "metadata", [&](const json::value& taint, const std::string& where) {
        const std::string_view key = json::get_string(taint, {"key"}), effect = json::get_string(taint, {"effect"});
        if (used.insert(std::string(key) + "/" + std::string(effect)).second) return;
        json::object shown;
        shown["Key"] = key;
        shown["Value"] = json::get_string(taint, {"value"});
        shown["Effect"] = effect;
        const json::value* added = json::find(taint, {"timeAdded"});
        shown["TimeAdded"] = added == nullptr ? json::value() : *added;
        v.duplicate(where, json::value(std::move(shown)), "taints must be unique by key and effect pair");
    });
}

inline void validate_lease(validator& v, const json::value& lease) {
    const json::value* seconds = json::find(lease, {"spec", "leaseDurationSeconds"});
    if (seconds == nullptr || !seconds->is_int64() || seconds->get_int64() > 0) return;
    v.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
}

}  // namespace kcontrol::testing::detail
