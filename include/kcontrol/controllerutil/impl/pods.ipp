#pragma once

#include <kcontrol/controllerutil/pods.hpp>
#include <kcontrol/model/condition.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string reason_text(std::string_view reason, std::string_view message, std::size_t most) {
    std::string out(reason);
    if (!reason.empty() && !message.empty()) out += ": ";
    out += message;
    // What is cut off begins with no continuation byte.
    std::size_t end = std::min(out.size(), most);
    while (end < out.size() && end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
    out.resize(end);
    return out;
}

KCONTROL_DECL std::string waiting_reason(const api::core::v1::pod_status& pod) {
    const auto* placed = find_condition(pod.conditions, "PodScheduled");
    if (placed != nullptr && placed->status == "False") return reason_text(placed->reason, placed->message);
    for (const auto* statuses : {&pod.init_container_statuses, &pod.container_statuses}) {
        for (const auto& each : *statuses) {
            if (each.state.waiting) return reason_text(each.state.waiting->reason, each.state.waiting->message);
        }
    }
    return {};
}

KCONTROL_DECL const api::core::v1::container_state_terminated* end_of_container(const api::core::v1::pod_status& pod,
                                                                                std::string_view container) {
    for (const auto& each : pod.container_statuses) {
        if (each.name == container && each.state.terminated) return &*each.state.terminated;
    }
    for (const auto& each : pod.init_container_statuses) {
        if (each.state.terminated && each.state.terminated->exit_code != 0) return &*each.state.terminated;
    }
    return nullptr;
}

// Who evicts or preempts says so: in a condition, or, as kubelets do, in the reason of a pod that never ran.
KCONTROL_DECL bool is_disrupted(const api::core::v1::pod_status& pod) {
    if (is_true(pod.conditions, "DisruptionTarget")) return true;
    return pod.phase == "Failed" && !pod.reason.empty();
}

namespace detail {

inline void summarize_end(const api::core::v1::container_state_terminated& end, pod_summary& out) {
    out.state = end.exit_code == 0 ? pod_state::ended_well : pod_state::failed;
    out.exit_code = end.exit_code;
    if (end.reason != "Error" && end.reason != "Completed") out.reason = end.reason;
    out.message = end.message;
    out.words = reason_text(out.reason, out.message);
    if (end.finished_at.present()) out.ended = end.finished_at.value();
}

KCONTROL_DECL pod_summary summarize(const object_meta& metadata, std::string_view node, std::string_view container,
                                    bool gated, const api::core::v1::pod_status& status) {
    pod_summary out;
    out.name = metadata.name;
    out.uid = metadata.uid;
    out.node = node;
    out.over = status.phase == "Succeeded" || status.phase == "Failed";
    out.leaving = metadata.deletion_timestamp.present();
    out.gated = gated;
    for (const auto& each : status.container_statuses) {
        out.images.push_back(each.image_id.empty() ? each.image : each.image_id);
    }
    const auto* end = end_of_container(status, container);
    if (end != nullptr) {
        summarize_end(*end, out);
    } else if (status.phase == "Running") {
        out.state = pod_state::running;
    } else if (out.over) {
        out.state = status.phase == "Failed" ? pod_state::failed : pod_state::ended_well;
    } else {
        out.words = waiting_reason(status);
        if (out.words.empty()) {
            out.words = node.empty() ? "no node was found for it yet" : "it is prepared on " + out.node;
        }
    }
    if (out.state == pod_state::failed && (end == nullptr || is_disrupted(status))) {
        out.disrupted = true;
        out.words = reason_text(status.reason, status.message);
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL void set_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view value) {
    const auto found = std::find_if(in.begin(), in.end(), [name](const auto& each) { return each.name == name; });
    auto& entry = found != in.end() ? *found : in.emplace_back();
    entry = api::core::v1::env_var();
    entry.name = name;
    entry.value = value;
}

KCONTROL_DECL void set_default_variable(list<api::core::v1::env_var>& in, std::string_view name,
                                        std::string_view value) {
    const bool is_there = std::any_of(in.begin(), in.end(), [name](const auto& each) { return each.name == name; });
    if (!is_there) set_variable(in, name, value);
}

KCONTROL_DECL void set_field_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view path) {
    set_variable(in, name, {});
    const auto found = std::find_if(in.begin(), in.end(), [name](const auto& each) { return each.name == name; });
    found->value_from.edit().field_ref.edit().field_path = path;
}

}  // namespace kcontrol
