#pragma once

#include <kcontrol/scheduling/impl/has_ended.hpp>
#include <kcontrol/scheduling/impl/later.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline const interned_name& pod_resource() {
    static const interned_name name("Pod");
    return name;
}

inline const interned_name& node_resource() {
    static const interned_name name("Node");
    return name;
}

inline any_object as_object(const std::shared_ptr<const pod_info>& pod) {
    return pod == nullptr ? any_object() : any_object(pod->shared_pod());
}

// What the pod's condition PodScheduled says, if it is False.
inline std::pair<std::string, std::string> scheduled_condition(const api::core::v1::pod& pod) {
    for (const auto& one : pod.status.conditions) {
        if (one.type == "PodScheduled" && one.status == "False") return {one.reason, one.message};
    }
    return {};
}

// Whether its pods request more than it has.
inline bool is_overcommitted(const node_info& node) {
    const auto& has = node.allocatable();
    const auto& used = node.requested();
    return used.cpu_milli > has.cpu_milli || used.memory > has.memory ||
           used.ephemeral_storage > has.ephemeral_storage || used.pods > has.pods ||
           std::any_of(used.extended().begin(), used.extended().end(),
                       [&](const extended_amount& one) { return one.amount > has.extended(one.resource); });
}

}  // namespace detail

KCONTROL_DECL scheduler_core::scheduler_core(decider& by, scheduler_core_options options)
    : decider_(by),
      gang_message_delay_(options.gang_message_delay()),
      cache_([this](const placement_change& change) { pods_changed(change); }),
      queue_(queue_options(options.queue())) {
    // Nothing but the pod itself, or its gang, helps a pod that these reject: set() and activate().
    own_ = *queue_.add_plugin("SchedulingGates", {{detail::pod_resource(), event_actions::update}},
                              [](const pod_info& pod, const cluster_event& event) {
                                  return event.after && event.after.meta().uid == pod.uid();
                              });
    gang_ = *queue_.add_plugin("GangScheduling", {});
}

KCONTROL_DECL scheduler_core::~scheduler_core() = default;

KCONTROL_DECL scheduling_queue_options scheduler_core::queue_options(scheduling_queue_options from) {
    const auto usual = from.rank();
    from.gate([this](const pod_info& pod) { return gate(pod); });
    from.rank([this, usual](const queued_pod& pod) { return rank(pod, usual); });
    return from;
}

KCONTROL_DECL result<plugin_set> scheduler_core::add_plugin(std::string name, std::vector<event_kind> events,
                                                            scheduling_queue::hint_function hint) {
    return queue_.add_plugin(std::move(name), std::move(events), std::move(hint));
}

KCONTROL_DECL plugin_set scheduler_core::gate(const pod_info& pod) {
    if (!pod.pod().spec.scheduling_gates.empty()) return own_;
    if (const auto gang = gangs_.gang_of(pod)) {
        const auto phase = gangs_.status(*gang, now_).phase;
        if (phase == gang_phase::incomplete || phase == gang_phase::invalid) return gang_;
    }
    return decider_.gate(pod);
}

// A gang that has first call comes before all others.
KCONTROL_DECL queue_rank scheduler_core::rank(const queued_pod& pod,
                                              const scheduling_queue_options::rank_function& usual) const {
    queue_rank out = usual ? usual(pod) : scheduling_queue::default_rank(pod);
    if (gangs_.size() == 0) return out;
    const auto gang = gangs_.gang_of(*pod.pod);
    if (gang && gangs_.status(*gang, now_).has_first_call) out[0] = std::numeric_limits<std::int64_t>::min();
    return out;
}

// Nodes and namespaces.

KCONTROL_DECL void scheduler_core::set_node(std::shared_ptr<const api::core::v1::node> node, time_point now) {
    now_ = now;
    const node_info* const known = cache_.snapshot().find(node->metadata.name);
    const auto before = known == nullptr ? nullptr : known->shared_node();
    cache_.set_node(node);
    const event_actions what = before == nullptr ? event_actions::add : changes_of(*before, *node);
    if (what == event_actions::none) return;
    queue_.event({{detail::node_resource(), what}, any_object(before), any_object(std::move(node))}, now);
}

KCONTROL_DECL void scheduler_core::remove_node(std::string_view name, time_point now) {
    now_ = now;
    const node_info* const known = cache_.snapshot().find(name);
    if (known == nullptr) return;
    const auto before = known->shared_node();
    cache_.remove_node(name);
    std::vector<pod_pointer> lost;
    for (const nomination* const one : nominations_.on(name)) lost.push_back(one->pod);
    for (const auto& pod : lost) {
        lose_nomination(pod);
        queue_.activate(*pod, now);
    }
    queue_.event({{detail::node_resource(), event_actions::delete_}, any_object(before), any_object()}, now);
}

KCONTROL_DECL void scheduler_core::set_namespace(std::shared_ptr<const api::core::v1::namespace_> object,
                                                 time_point now) {
    now_ = now;
    static const interned_name resource("Namespace");
    const auto name = object->metadata.name;
    const auto* const known = cache_.snapshot().namespace_labels(name);
    const bool is_new = known == nullptr;
    const bool is_same = !is_new && *known == object->metadata.labels;
    cache_.set_namespace(object);
    if (is_same) return;
    const auto what = is_new ? event_actions::add : event_actions::update_other;
    queue_.event({{resource, what}, any_object(), any_object(std::move(object))}, now);
}

KCONTROL_DECL void scheduler_core::remove_namespace(std::string_view name, time_point now) {
    now_ = now;
    cache_.remove_namespace(name);
}

KCONTROL_DECL void scheduler_core::event(const cluster_event& what, time_point now) {
    now_ = now;
    queue_.event(what, now);
}

// Pods.

KCONTROL_DECL void scheduler_core::set_pod(std::shared_ptr<const api::core::v1::pod> pod, time_point now) {
    now_ = now;
    const auto info = std::make_shared<const pod_info>(std::move(pod));
    const auto& object = info->pod();
    if (const auto* const known = queue_.find(info->namespace_(), info->name())) {
        if (known->pod->uid() != info->uid()) leave_queue(known->shared, {});
    }
    const pod_change change = cache_.set_pod(info);
    const auto gang_before = gangs_.gang_of(*info);
    const auto gang = gangs_.set_pod(info, now);
    const bool is_ours = decider_.schedules(object);
    const bool has_ended = detail::has_ended(object);
    if (has_ended) stays_no_longer(info->uid());
    if (!has_ended && object.spec.node_name.empty() && is_ours && !object.metadata.deletion_timestamp) {
        set_waiting(info);
    } else {
        leave_queue(info, object.spec.node_name);
    }
    // Another scheduler does not ask this one.
    if (change == pod_change::moved || (change == pod_change::placed && !is_ours)) {
        const node_info* const on = cache_.snapshot().find(object.spec.node_name);
        if (on != nullptr && detail::is_overcommitted(*on)) ++foreign_overcommits_;
    }
    if (gang_before && gang_before != gang) gang_changed(*gang_before);
    if (!gang) return;
    gang_changed(*gang);
    if (const auto notice = notices_.find(*gang); notice != notices_.end()) {
        notice->second.is_ours |= is_ours;
        tell(notice->second, info);
    }
}

KCONTROL_DECL void scheduler_core::remove_pod(std::string_view namespace_, std::string_view name, std::string_view uid,
                                              time_point now) {
    now_ = now;
    if (const auto* const known = queue_.find(namespace_, name); known != nullptr && known->pod->uid() == uid) {
        leave_queue(known->shared, {});
    }
    stays_no_longer(uid);
    cache_.remove_pod(namespace_, name, uid);
    if (const auto gang = gangs_.remove_pod(namespace_, name, uid, now)) gang_changed(*gang);
}

// A version without a node.
KCONTROL_DECL void scheduler_core::set_waiting(const pod_pointer& pod) {
    const bool is_new = queue_.find(pod->namespace_(), pod->name()) == nullptr;
    const bool counts = cache_.snapshot().find_pod(pod->namespace_(), pod->name()) != nullptr;
    if (is_new && counts) return;  // it is bound, and this is older
    const auto& nominated = pod->pod().status.nominated_node_name;
    if (is_new && !nominated.empty()) nominations_.set({pod, nominated, pod->priority()});  // before a restart
    queue_.set(pod, now_);
}

// It waits no longer: it is on that node, or on none.
KCONTROL_DECL void scheduler_core::leave_queue(const pod_pointer pod, std::string_view node) {
    queue_.remove(pod->namespace_(), pod->name(), pod->uid());
    conditions_.erase(std::string(pod->uid()));
    drop_nomination(pod, node);
}

KCONTROL_DECL void scheduler_core::stays_no_longer(std::string_view uid) {
    const auto found = leaving_.find(uid);
    if (found == leaving_.end()) return;
    nominations_.set_leaving(uid, false);
    leaving_.erase(found);
}

KCONTROL_DECL void scheduler_core::pods_changed(const placement_change& change) {
    event_actions what = change.after == nullptr ? event_actions::delete_ : event_actions::add;
    if (change.before != nullptr && change.after != nullptr) what = changes_of(*change.before, *change.after);
    if (what == event_actions::none) return;
    queue_.event({{detail::pod_resource(), what}, detail::as_object(change.before), detail::as_object(change.after)},
                 now_);
}

// Nominations. A place that is not kept any more is free for others, as if a pod were deleted there.

KCONTROL_DECL void scheduler_core::drop_nomination(const pod_pointer& pod, std::string_view placed_on) {
    const nomination* const known = nominations_.find(pod->namespace_(), pod->name());
    if (known == nullptr || known->pod->uid() != pod->uid()) return;
    const bool is_taken = known->node == placed_on;
    nominations_.remove(pod->namespace_(), pod->name());
    if (!is_taken) pods_changed({pod, nullptr});
}

KCONTROL_DECL void scheduler_core::lose_nomination(const pod_pointer& pod) {
    drop_nomination(pod, {});
    effects_.emplace_back(nominate_effect{pod, {}});
}

KCONTROL_DECL void scheduler_core::preempt(const decided_pod& of) {
    const nomination* const known = nominations_.find(of.pod->namespace_(), of.pod->name());
    if (of.kept) {
        const bool is_another = known == nullptr || known->node != of.kept->node;
        if (is_another) drop_nomination(of.pod, {});
        nominations_.set(*of.kept);
        if (is_another) effects_.emplace_back(nominate_effect{of.pod, of.kept->node});
        for (const auto& victim : of.victims) evict(victim, of.pod, nullptr);
    } else if (known != nullptr) {
        const node_info* const node = cache_.snapshot().find(known->node);
        const bool is_made_free =
            node != nullptr && std::any_of(node->pods().begin(), node->pods().end(),
                                           [&](const pod_info* on) { return nominations_.is_leaving(*on); });
        if (!is_made_free) lose_nomination(of.pod);
    }
}

KCONTROL_DECL void scheduler_core::evict(const pod_pointer& pod, const pod_pointer& preemptor, const gang_id* gang) {
    if (nominations_.is_leaving(*pod)) return;
    nominations_.set_leaving(pod->uid(), true);
    leaving_.insert_or_assign(std::string(pod->uid()), preemptor);
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
    const auto found = leaving_.find(pod.uid());
    if (found == leaving_.end()) return;
    const auto preemptor = found->second;
    stays_no_longer(pod.uid());
    if (preemptor != nullptr) queue_.activate(*preemptor, now);
}

// Decisions.

KCONTROL_DECL bool scheduler_core::step(time_point now) {
    now_ = now;
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
    notice.write_at = detail::later(now_, gang_message_delay_);
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

// Time.

KCONTROL_DECL void scheduler_core::advance(time_point now) {
    now_ = now;
    queue_.advance(now);
    for (const auto& due : gangs_.due(now)) {
        for (const auto& pod : due.pods) {
            if (decider_.schedules(pod->pod())) evict(pod, nullptr, &due.gang);
        }
    }
    while (!notice_times_.empty() && notice_times_.begin()->first <= now) {
        const gang_id gang = notice_times_.begin()->second;
        notice_times_.erase(notice_times_.begin());
        gang_notice& notice = notices_[gang];
        notice.write_at = std::nullopt;
        for (const auto& pod : gangs_.waiting(gang)) tell(notice, pod);
        tell_group(gang, notice, false);
    }
}

KCONTROL_DECL std::optional<time_point> scheduler_core::next_deadline() const {
    auto out = queue_.next_deadline();
    const auto note = [&](std::optional<time_point> at) {
        if (at && (!out || *at < *out)) out = at;
    };
    note(gangs_.next_deadline());
    if (!notice_times_.empty()) note(notice_times_.begin()->first);
    return out;
}

}  // namespace kcontrol::scheduling
