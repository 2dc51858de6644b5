#pragma once

// Decisions, and the places that they keep.
#include <kcontrol/scheduling/impl/keep_time.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <algorithm>
#include <cstdint>

namespace kcontrol::inline v0_1::scheduling {

// Decisions.

KCONTROL_DECL bool scheduler_core::step(time_point now) {
    now_ = now;
    if (const auto order = decider_.queue_version(); order != queue_version_) {
        queue_version_ = order;
        queue_.sort();
    }
    const queued_pod* const first = queue_.pop(now);
    if (first == nullptr) return false;
    const auto pod = first->shared;
    if (pod->invalid() != nullptr) {
        queue_.reject(*pod, own_, now);
        write_condition(pod, "SchedulerError", pod->invalid()->message());
        return true;
    }
    const auto gang = gangs_.gang_of(*pod);
    if (!gang) return decide(pod), true;
    const gang_status status = gangs_.status(*gang, now);
    if (status.phase == gang_phase::complete) {
        decide(pod);
    } else if (status.phase == gang_phase::ready) {
        decide_gang(pod, status);
    } else {
        queue_.reject(*pod, gang_, now);
    }
    return true;
}

KCONTROL_DECL void scheduler_core::decide(const pod_pointer& pod) {
    decided_pod made = decider_.decide(pod, {cache_, nominations_, now_});
    made.assumed ? place(std::move(made)) : refuse(made);
}

KCONTROL_DECL void scheduler_core::decide_gang(const pod_pointer& first, const gang_status& status) {
    std::vector<pod_pointer> members{first};
    pod_pointer kept_out = first;  // one that is not, if there is such a one
    for (const auto& one : gangs_.waiting(status.gang)) {
        if (one->uid() == first->uid()) continue;
        if (const queued_pod* const taken = queue_.take(*one, now_)) {
            members.push_back(taken->shared);
        } else if (kept_out == first) {
            kept_out = one;
        }
    }
    if (static_cast<std::int32_t>(members.size()) < status.missing()) {
        for (const auto& one : members) queue_.reject(*one, gang_, now_);
        const auto fitting = status.placed + static_cast<std::int32_t>(members.size());
        return gang_misfits(status, fitting, kept_out_message(*kept_out), members);
    }
    decided_gang made = decider_.decide_gang(members, status.missing(), {cache_, nominations_, now_});
    const auto placed = std::count_if(made.members.begin(), made.members.end(),
                                      [](const decided_pod& one) { return static_cast<bool>(one.assumed); });
    if (placed >= status.missing()) {
        for (auto& one : made.members) one.assumed ? place(std::move(one)) : refuse(one);
        return gang_changed(status.gang);
    }
    plugin_set rejected_by = 0;
    std::string misfit;
    for (auto& one : made.members) {
        rejected_by |= one.rejected_by;
        if (misfit.empty()) misfit = one.message;
    }
    for (const auto& one : made.members) {
        queue_.reject(*one.pod, rejected_by, now_);
        preempt(one);
    }
    gang_misfits(status, status.placed + made.fitting, misfit, members);
}

KCONTROL_DECL void scheduler_core::gang_misfits(const gang_status& status, std::int32_t fitting,
                                                std::string_view misfit, const std::vector<pod_pointer>& members) {
    gang_notice& notice = notices_[status.gang];
    set_message(status.gang, notice, gang_book::misfit_message(status, fitting, misfit));
    for (const auto& one : members) tell(notice, one);
}

KCONTROL_DECL std::string scheduler_core::kept_out_message(const pod_info& pod) const {
    std::string out = "pod " + std::string(pod.namespace_()) + "/" + std::string(pod.name()) + " is gated";
    const queued_pod* const known = queue_.find(pod.namespace_(), pod.name());
    if (known == nullptr) return out;
    for (const auto name : queue_.names_of(known->rejected_by)) out.append(" by ").append(name);
    return out;
}

KCONTROL_DECL void scheduler_core::place(decided_pod made) {
    // Kept again if the binding comes to nothing.
    const nomination* const known = nominations_.find(made.pod->namespace_(), made.pod->name());
    if (known != nullptr && known->node == made.node) made.kept = *known;
    drop_nomination(made.pod, made.node);
    gangs_.set_assumed(*made.pod, true, now_);
    std::string uid(made.pod->uid());
    if (const auto before = bindings_.find(uid); before != bindings_.end()) decider_.unreserve(before->second);
    effects_.emplace_back(bind_effect{made});
    bindings_.insert_or_assign(std::move(uid), std::move(made));
}

KCONTROL_DECL void scheduler_core::refuse(const decided_pod& made) {
    queue_.reject(*made.pod, made.is_error ? 0 : made.rejected_by, now_);
    write_condition(made.pod, made.is_error ? "SchedulerError" : "Unschedulable", made.message);
    preempt(made);
}

// Nominations. A place that is not kept any more is free for others, as if a pod were deleted there.

KCONTROL_DECL void scheduler_core::drop_nomination(const pod_pointer& pod, std::string_view placed_on) {
    const nomination* const known = nominations_.find(pod->namespace_(), pod->name());
    if (known == nullptr || known->pod->uid() != pod->uid()) return;
    const bool is_taken = known->node == placed_on;
    keep_no_longer(*pod);
    nominations_.remove(pod->namespace_(), pod->name());
    if (!is_taken) pods_changed({pod, nullptr});
}

KCONTROL_DECL void scheduler_core::lose_nomination(const pod_pointer& pod) {
    const nomination* const known = nominations_.find(pod->namespace_(), pod->name());
    if (known == nullptr || known->pod->uid() != pod->uid()) return;
    const bool is_written = !is_kept(*pod);
    drop_nomination(pod, {});
    if (is_written) effects_.emplace_back(nominate_effect{pod, {}});
}

// The place of a pod that was deleted, before the cache forgets the pod.
KCONTROL_DECL void scheduler_core::keep_place(const placed_pod& of) {
    const auto& object = of.pod->pod();
    const auto time = detail::keep_time(object);
    if (time == duration::zero() || object.spec.node_name.empty() || !decider_.schedules(object)) return;
    if (nominations_.preemptor_of(of.pod->uid())) return;  // evicted here, for another one
    const auto pod = std::make_shared<const pod_info>(of.pod->shared_pod());
    keep_no_longer(*pod);
    nominations_.set({pod, std::string(of.node->name()), pod->priority()});
    keep_times_.emplace(kept_until_[name_of(*pod)] = now_ + time, name_of(*pod));
}

KCONTROL_DECL void scheduler_core::keep_no_longer(const pod_info& pod) {
    const auto found = kept_until_.find(name_of(pod));
    if (found == kept_until_.end()) return;
    keep_times_.erase({found->second, found->first});
    kept_until_.erase(found);
}

KCONTROL_DECL void scheduler_core::preempt(const decided_pod& of) {
    const nomination* const known = nominations_.find(of.pod->namespace_(), of.pod->name());
    if (of.kept) {
        const bool is_another = known == nullptr || known->node != of.kept->node;
        if (is_another) drop_nomination(of.pod, {});
        keep_no_longer(*of.pod);
        nominations_.set(*of.kept);
        if (is_another) effects_.emplace_back(nominate_effect{of.pod, of.kept->node});
        for (const auto& victim : of.victims) evict(victim, of.pod, nullptr);
    } else if (known != nullptr) {
        const node_info* const node = cache_.snapshot().find(known->node);
        const bool is_made_free =
            node != nullptr && std::any_of(node->pods().begin(), node->pods().end(),
                                           [&](const pod_info* on) { return nominations_.is_leaving(*on); });
        if (!is_made_free && !is_kept(*of.pod)) lose_nomination(of.pod);
    }
}

KCONTROL_DECL void scheduler_core::evict(const pod_pointer& pod, const pod_pointer& preemptor, const gang_id* gang) {
    if (nominations_.is_leaving(*pod)) return;
    nominations_.set_leaving(pod->uid(), true, preemptor);
    const placed_pod* const placed = cache_.snapshot().find_pod(pod->namespace_(), pod->name());
    evict_effect out;
    out.pod = pod;
    out.preemptor = preemptor;
    if (placed != nullptr) out.node = placed->node->name();
    if (gang != nullptr) out.gang = *gang;
    effects_.emplace_back(std::move(out));
}

KCONTROL_DECL void scheduler_core::eviction_failed(const pod_info& pod, time_point now) {
    now_ = now;
    const auto preemptor = nominations_.preemptor_of(pod.uid());
    nominations_.set_leaving(pod.uid(), false);
    if (preemptor && *preemptor != nullptr) queue_.activate(**preemptor, now);
}

}  // namespace kcontrol::scheduling
