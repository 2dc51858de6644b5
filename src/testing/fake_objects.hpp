// What the parts of a fake_cluster ask of objects and put into them.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "testserver/conditions.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

inline const group_resource fake_pods("", "pods"), fake_nodes("", "nodes"), fake_jobs("batch", "jobs"),
    fake_replica_sets("apps", "replicasets"), fake_deployments("apps", "deployments"),
    fake_namespaces("", "namespaces"), fake_accounts("", "serviceaccounts");

using object_path = std::initializer_list<std::string_view>;

inline std::int64_t whole_at(const json::value& object, object_path path, std::int64_t otherwise) {
    const json::value* found = json::find(object, path);
    return found != nullptr && found->is_int64() ? found->get_int64() : otherwise;
}

inline std::string text_at(const json::value& object, object_path path) {
    return std::string(json::get_string(object, path));
}

inline json::object object_at(const json::value& from, object_path path) {
    const json::value* found = json::find(from, path);
    return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

inline json::array array_at(const json::value& from, object_path path) {
    const json::value* found = json::find(from, path);
    return found != nullptr && found->is_array() ? found->get_array() : json::array();
}

inline namespaced_name key_of_object(const json::value& object) {
    return {text_at(object, {"metadata", "namespace"}), text_at(object, {"metadata", "name"})};
}

inline std::string uid_of(const json::value& object) { return text_at(object, {"metadata", "uid"}); }

inline bool is_leaving(const json::value& object) {
    return json::find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

inline bool has_phase(const json::value& pod, std::string_view phase) {
    return json::get_string(pod, {"status", "phase"}) == phase;
}

inline bool is_over(const json::value& pod) { return has_phase(pod, "Succeeded") || has_phase(pod, "Failed"); }

inline bool is_active(const json::value& pod) { return !is_over(pod) && !is_leaving(pod); }

inline bool holds_condition(const json::value& object, std::string_view type) {
    for (const auto& one : array_at(object, {"status", "conditions"})) {
        if (json::get_string(one, {"type"}) == type) return json::get_string(one, {"status"}) == "True";
    }
    return false;
}

inline bool is_ready(const json::value& pod) { return is_active(pod) && holds_condition(pod, "Ready"); }

/// The controller among an object's owners, or null.
inline json::value controller_of(const json::value& object) {
    for (const auto& owner : array_at(object, {"metadata", "ownerReferences"})) {
        const json::value* controls = json::find(owner, {"controller"});
        if (controls != nullptr && *controls == true) return owner;
    }
    return {};
}

inline json::array owned_by(const json::value& owner) {
    json::object reference;
    for (const std::string_view name : {"apiVersion", "kind"}) reference[name] = text_at(owner, {name});
    reference["name"] = text_at(owner, {"metadata", "name"});
    reference["uid"] = uid_of(owner);
    reference["controller"] = true;
    reference["blockOwnerDeletion"] = true;
    return {std::move(reference)};
}

/// Those of a kind that an object controls, in order of their names.
inline std::vector<json::value> controlled_by(const api_server& api, const group_resource& id,
                                              const json::value& owner) {
    std::vector<json::value> out;
    for (auto& one : api.list(id, text_at(owner, {"metadata", "namespace"}))) {
        if (json::get_string(controller_of(one), {"uid"}) == uid_of(owner)) out.push_back(std::move(one));
    }
    return out;
}

/// For a merge patch: a count that is not shown where it is 0.
inline json::value shown_count(std::int64_t count) { return count == 0 ? json::value() : json::value(count); }

}  // namespace kcontrol::testing::detail
