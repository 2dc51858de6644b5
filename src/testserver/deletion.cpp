#include "testserver/deletion.hpp"

#include <kcontrol/testing/resource_type.hpp>

#include "testserver/conditions.hpp"
#include "testserver/json_values.hpp"
#include "testserver/timestamp.hpp"

#include <algorithm>
#include <chrono>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

bool is_definition(const resource_type& type) {
    return type.group == "apiextensions.k8s.io" && type.plural == "customresourcedefinitions";
}

bool is_pod(const resource_type& type) { return type.group.empty() && type.plural == "pods"; }

std::optional<std::int64_t> whole_number(const json::value* v) {
    if (v == nullptr || !v->is_int64()) return std::nullopt;
    return v->get_int64();
}

// The seconds that a pod has to end: none if no kubelet knows it, or if it has ended.
std::int64_t grace_of_pod(const json::value& pod, const delete_request& request) {
    const std::string_view phase = json::get_string(pod, {"status", "phase"});
    if (json::get_string(pod, {"spec", "nodeName"}).empty() || phase == "Succeeded" || phase == "Failed") return 0;
    constexpr std::int64_t usual = 30;
    const auto own = whole_number(json::find(pod, {"spec", "terminationGracePeriodSeconds"}));
    return std::max<std::int64_t>(0, request.grace_period().value_or(own.value_or(usual)));
}

std::string later(const std::string& timestamp, std::int64_t seconds) {
    const auto when = parse_timestamp(timestamp);
    return when ? format_timestamp(*when + std::chrono::seconds(seconds)) : timestamp;
}

// Changes the finalizers that say what becomes of dependents; true if that changed anything.
bool set_garbage_finalizers(const resource_type& type, json::object& metadata, const delete_request& request) {
    auto names = strings_of(metadata.if_contains("finalizers"));
    const auto before = names;
    const auto has = [&names](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool unset = request.dependents() == propagation::unset;
    const bool had_orphan = has(orphan_finalizer), had_foreground = has(foreground_finalizer);
    const bool by_default = !had_orphan && !had_foreground && type.orphans_dependents;
    const bool orphans = unset ? had_orphan || by_default : request.dependents() == propagation::orphan;
    const bool waits = unset ? had_foreground && !had_orphan : request.dependents() == propagation::foreground;
    if (orphans != had_orphan || waits != had_foreground) {
        std::erase(names, orphan_finalizer);
        std::erase(names, foreground_finalizer);
        if (orphans) names.emplace_back(orphan_finalizer);
        if (waits) names.emplace_back(foreground_finalizer);
    }
    if (names == before) return false;
    json::array list;
    for (auto& name : names) list.push_back(json::value(std::move(name)));
    if (list.empty()) {
        metadata.erase("finalizers");
    } else {
        metadata["finalizers"] = std::move(list);
    }
    return true;
}

void mark_deleted(json::object& metadata, const std::string& when, std::int64_t grace) {
    metadata["deletionTimestamp"] = when;
    metadata["deletionGracePeriodSeconds"] = grace;
    if (const auto generation = whole_number(metadata.if_contains("generation"))) {
        metadata["generation"] = *generation + 1;
    }
}

// A pod that is terminating already: its grace can only become shorter. Nothing: there is nothing to change.
std::optional<std::int64_t> shorten_grace(json::object& metadata, const delete_request& request) {
    const std::int64_t left = whole_number(metadata.if_contains("deletionGracePeriodSeconds")).value_or(0);
    const auto wanted = request.grace_period();
    if (!wanted || *wanted >= left) return std::nullopt;
    const std::int64_t shorter = std::max<std::int64_t>(0, *wanted);
    const json::value& when = metadata["deletionTimestamp"];
    if (when.is_string()) metadata["deletionTimestamp"] = later(std::string(when.get_string()), shorter - left);
    metadata["deletionGracePeriodSeconds"] = shorter;
    return shorter;
}

// Its objects go first: until then the definition stays.
void mark_definition(json::object& content, const std::string& now) {
    json::object& metadata = metadata_of(content);
    metadata["deletionTimestamp"] = now;
    json::value& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers = json::array();
    finalizers.get_array().push_back(json::value(definition_finalizer));
    put_condition(conditions_in(content), "Terminating", true, "InstanceDeletionPending",
                  "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now);
}

}  // namespace
}  // namespace detail

deletion_step begin_deletion(const resource_type& type, json::object& content, const delete_request& request,
                             const std::string& now, bool collects) {
    json::object& metadata = metadata_of(content);
    const bool terminating = metadata.contains("deletionTimestamp");
    const bool is_pod = detail::is_pod(type);
    std::int64_t grace = 0;
    if (is_pod && !terminating) {
        grace = detail::grace_of_pod(json::value(content), request);
    } else if (is_pod) {
        const auto shorter = detail::shorten_grace(metadata, request);
        if (!shorter) return deletion_step::nothing;
        grace = *shorter;
    }
    const bool refinalized = collects && detail::set_garbage_finalizers(type, metadata, request);
    if (detail::is_definition(type) && !terminating) {
        detail::mark_definition(content, now);
        return deletion_step::mark;
    }
    const json::value* finalizers = metadata.if_contains("finalizers");
    const bool held = finalizers != nullptr && finalizers->is_array() && !finalizers->get_array().empty();
    if (!is_pod && !held) return deletion_step::remove;
    if (!terminating) detail::mark_deleted(metadata, detail::later(now, grace), grace);
    if (!held && grace == 0) return deletion_step::mark_and_remove;
    return terminating && !refinalized && !is_pod ? deletion_step::nothing : deletion_step::mark;
}

}  // namespace kcontrol::testing
