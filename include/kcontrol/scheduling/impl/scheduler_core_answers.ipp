#pragma once

// Answers of bindings, and what pods and gangs are told.
#include <kcontrol/runtime/time_after.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <utility>

namespace kcontrol::inline v0_1::scheduling {

namespace detail {

// What the pod's condition PodScheduled says, if it is False.
inline std::pair<std::string, std::string> scheduled_condition(const api::core::v1::pod& pod) {
    for (const auto& one : pod.status.conditions) {
        if (one.type == "PodScheduled" && one.status == "False") return {one.reason, one.message};
    }
    return {};
}

}  // namespace detail

// Answers.

KCONTROL_DECL std::optional<decided_pod> scheduler_core::take_binding(const assumption& of) {
    const auto found = of ? bindings_.find(of.pod()->uid()) : bindings_.end();
    if (found == bindings_.end() || !(found->second.assumed == of)) return std::nullopt;
    std::optional out(std::move(found->second));
    bindings_.erase(found);
    return out;
}

KCONTROL_DECL void scheduler_core::bound(const assumption& of, time_point now) {
    now_ = now;
    const auto made = take_binding(of);
    if (!made) return;
    cache_.confirm(of);
    queue_.done(*made->pod);
    conditions_.erase(std::string(made->pod->uid()));
}

KCONTROL_DECL void scheduler_core::refused(const assumption& of, const binding_refusal& why, time_point now) {
    now_ = now;
    auto made = take_binding(of);
    if (!made) return;
    decider_.unreserve(*made);
    if (!cache_.forget(of)) return;  // it was deleted, or is bound after all
    release(*made, why.rejected_by);
    const auto* const known = queue_.find(made->pod->namespace_(), made->pod->name());
    if (known == nullptr || known->pod->uid() != made->pod->uid()) return;
    write_condition(known->shared, why.rejected_by == 0 ? "SchedulerError" : "Unschedulable", why.message);
}

KCONTROL_DECL void scheduler_core::settle(const assumption& of, std::shared_ptr<const api::core::v1::pod> read,
                                          time_point now) {
    now_ = now;
    auto made = take_binding(of);
    if (!made) return;
    const auto info = read == nullptr ? nullptr : std::make_shared<const pod_info>(std::move(read));
    if (info == nullptr || info->uid() != made->pod->uid()) {
        decider_.unreserve(*made);
        if (cache_.forget(of)) release(*made, 0);
        return;
    }
    switch (cache_.settle(of, info)) {
    case pod_change::removed: decider_.unreserve(*made); return release(*made, 0);
    case pod_change::moved: decider_.unreserve(*made); break;
    default: break;
    }
    queue_.done(*made->pod);
    conditions_.erase(std::string(made->pod->uid()));
}

// It counts no longer, and waits again.
KCONTROL_DECL void scheduler_core::release(const decided_pod& made, plugin_set rejected_by) {
    const pod_info& pod = *made.pod;
    const queued_pod* const known = queue_.find(pod.namespace_(), pod.name());
    if (made.kept && known != nullptr && known->pod->uid() == pod.uid()) nominations_.set(*made.kept);
    gangs_.set_assumed(pod, false, now_);
    if (gate(pod) != 0) lose_nomination(made.pod);  // its gang waits for members now
    queue_.reject(pod, rejected_by, now_);
    if (const auto gang = gangs_.gang_of(pod)) gang_changed(*gang);
}

// Conditions.

KCONTROL_DECL void scheduler_core::write_condition(const pod_pointer& pod, std::string_view reason,
                                                   std::string_view message) {
    const auto [known, is_new] = conditions_.try_emplace(std::string(pod->uid()));
    auto& last = known->second;
    if (is_new) last = detail::scheduled_condition(pod->pod());
    if (last.first == reason && last.second == message) return;
    last = {std::string(reason), std::string(message)};
    effects_.emplace_back(condition_effect{pod, last.first, last.second});
}

KCONTROL_DECL void scheduler_core::condition_failed(const pod_info& pod) { conditions_.erase(std::string(pod.uid())); }

// Gangs.

KCONTROL_DECL void scheduler_core::set_group(const gang_id& group, gang_terms terms, time_point now) {
    now_ = now;
    gangs_.set_group(group, terms, now);
    gang_changed(group);
}

KCONTROL_DECL void scheduler_core::remove_group(const gang_id& group, time_point now) {
    now_ = now;
    gangs_.remove_group(group, now);
    gang_changed(group);
}

KCONTROL_DECL void scheduler_core::gang_changed(const gang_id& gang) {
    const gang_status status = gangs_.status(gang, now_);
    const auto found = notices_.try_emplace(gang).first;
    gang_notice& notice = found->second;
    const gang_phase before = std::exchange(notice.phase, status.phase);
    const bool keeps_misfit = status.phase == gang_phase::ready && before == gang_phase::ready;
    if (!keeps_misfit) set_message(gang, notice, status.message);
    if (status.waiting + status.held + status.placed == 0) {
        set_message(gang, notice, {});
        notices_.erase(found);
        return;
    }
    const bool can_be_placed = status.phase == gang_phase::ready || status.phase == gang_phase::complete;
    if (can_be_placed && before != gang_phase::ready && before != status.phase) {
        for (const auto& pod : gangs_.waiting(gang)) queue_.activate(*pod, now_);
    }
    if (status.phase == gang_phase::complete && status.bound >= status.minimum) tell_group(gang, notice, true);
}

// It is written after it stayed the same for a while.
KCONTROL_DECL void scheduler_core::set_message(const gang_id& gang, gang_notice& notice, std::string message) {
    if (notice.message == message) return;
    if (notice.write_at) notice_times_.erase({*notice.write_at, gang});
    notice.write_at = std::nullopt;
    notice.message = std::move(message);
    if (notice.message.empty()) return;
    notice.write_at = time_after(now_, gang_message_delay_);
    notice_times_.emplace(*notice.write_at, gang);
}

// What its pods are told that are new, or were tried again. The others know it.
KCONTROL_DECL void scheduler_core::tell(const gang_notice& notice, const pod_pointer& pod) {
    if (notice.message.empty() || notice.write_at) return;
    const queued_pod* const known = queue_.find(pod->namespace_(), pod->name());
    if (known != nullptr && known->pod->uid() == pod->uid()) {
        write_condition(known->shared, "Unschedulable", notice.message);
    }
}

KCONTROL_DECL void scheduler_core::tell_group(const gang_id& gang, gang_notice& notice, bool is_scheduled) {
    if (gang.source == gang_source::annotations || !notice.is_ours) return;
    if (is_scheduled && notice.is_scheduled == true) return;
    notice.is_scheduled = is_scheduled;
    effects_.emplace_back(group_effect{gang, is_scheduled, is_scheduled ? std::string() : notice.message});
}

}  // namespace kcontrol::scheduling
