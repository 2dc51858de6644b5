#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline bool same_conditions(const api::core::v1::node& a, const api::core::v1::node& b) {
    const auto& all = a.status.conditions;
    const auto& others = b.status.conditions;
    return std::equal(all.begin(), all.end(), others.begin(), others.end(),
                      [](const auto& x, const auto& y) { return x.type == y.type && x.status == y.status; });
}

inline bool requests_less(const resource_amounts& now, const resource_amounts& before) {
    return now.cpu_milli < before.cpu_milli || now.memory < before.memory ||
           now.ephemeral_storage < before.ephemeral_storage ||
           std::any_of(before.extended().begin(), before.extended().end(),
                       [&](const extended_amount& one) { return now.extended(one.resource) < one.amount; });
}

}  // namespace detail

KCONTROL_DECL event_actions changes_of(const api::core::v1::node& before, const api::core::v1::node& after) {
    event_actions out = event_actions::none;
    const auto note = [&](bool changed, event_actions what) {
        if (changed) out = out | what;
    };
    note(before.spec.unschedulable.value_or(false) != after.spec.unschedulable.value_or(false) ||
             before.spec.taints != after.spec.taints,
         event_actions::update_node_taint);
    note(before.status.allocatable != after.status.allocatable, event_actions::update_node_allocatable);
    note(before.metadata.labels != after.metadata.labels, event_actions::update_node_label);
    note(before.metadata.annotations != after.metadata.annotations, event_actions::update_node_annotation);
    note(!detail::same_conditions(before, after), event_actions::update_node_condition);
    return out;
}

KCONTROL_DECL event_actions changes_of(const pod_info& before, const pod_info& after) {
    const auto& a = before.pod();
    const auto& b = after.pod();
    event_actions out = event_actions::none;
    const auto note = [&](bool changed, event_actions what) {
        if (changed) out = out | what;
    };
    note(a.metadata.labels != b.metadata.labels, event_actions::update_pod_label);
    note(a.metadata.annotations != b.metadata.annotations, event_actions::update_pod_annotation);
    note(detail::requests_less(after.requests(), before.requests()), event_actions::update_pod_scale_down);
    note(a.spec.tolerations != b.spec.tolerations, event_actions::update_pod_toleration);
    note(!a.spec.scheduling_gates.empty() && b.spec.scheduling_gates.empty(),
         event_actions::update_pod_scheduling_gates);
    return out;
}

}  // namespace kcontrol::scheduling
