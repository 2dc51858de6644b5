#pragma once

#include <kcontrol/scheduling/impl/has_ended.hpp>
#include <kcontrol/scheduling/impl/scheduler_core_answers.ipp>
#include <kcontrol/scheduling/impl/scheduler_core_decisions.ipp>
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

// Whether its pods request more than it has.
inline bool is_overcommitted(const node_info& node) {
    const auto& has = node.allocatable();
    const auto& used = node.requested();
    return used.cpu_milli > has.cpu_milli || used.memory > has.memory ||
           used.ephemeral_storage > has.ephemeral_storage || used.pods > has.pods ||
           std::any_of(used.extended().begin(), used.extended().end(),
                       [&](const extended_amount& one) { return one.amount > has.extended(one.resource); });
}

// A nomination that a deleted pod has left: no pod waits for it yet.
inline bool is_vacant(const nomination& place) { return !place.pod->pod().spec.node_name.empty(); }

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
        const auto phase = gangs_.phase(*gang);
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
    if (gang && gangs_.has_first_call(*gang, now_)) out[0] = std::numeric_limits<std::int64_t>::min();
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
    // The watch may show the next pod of its name without the end of this one.
    const auto* const before = cache_.snapshot().find_pod(info->namespace_(), info->name());
    const bool is_ended = detail::has_ended(object) && object.metadata.deletion_timestamp;
    if (before != nullptr && (is_ended || before->pod->uid() != info->uid())) keep_place(*before);
    const pod_change change = cache_.set_pod(info);
    const auto gang_before = gangs_.gang_of(*info);
    const auto gang = gangs_.set_pod(info, now);
    const bool is_ours = decider_.schedules(object);
    const bool has_ended = detail::has_ended(object);
    if (has_ended) nominations_.set_leaving(info->uid(), false);
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
    const auto* const placed = cache_.snapshot().find_pod(namespace_, name);
    if (placed != nullptr && placed->pod->uid() == uid) keep_place(*placed);
    nominations_.set_leaving(uid, false);
    cache_.remove_pod(namespace_, name, uid);
    if (const auto gang = gangs_.remove_pod(namespace_, name, uid, now)) gang_changed(*gang);
}

// A version without a node.
KCONTROL_DECL void scheduler_core::set_waiting(const pod_pointer& pod) {
    const bool is_new = queue_.find(pod->namespace_(), pod->name()) == nullptr;
    const bool counts = cache_.snapshot().find_pod(pod->namespace_(), pod->name()) != nullptr;
    if (is_new && counts) return;  // it is bound, and this is older
    if (is_new) {
        const nomination* const left = nominations_.find(pod->namespace_(), pod->name());
        std::string node = pod->pod().status.nominated_node_name.str();  // before a restart
        if (left != nullptr && detail::is_vacant(*left)) node = left->node;
        if (!node.empty()) nominations_.set({pod, std::move(node), pod->priority()});
    }
    queue_.set(pod, now_);
}

// It waits no longer: it is on that node, or on none.
KCONTROL_DECL void scheduler_core::leave_queue(const pod_pointer pod, std::string_view node) {
    queue_.remove(pod->namespace_(), pod->name(), pod->uid());
    conditions_.erase(std::string(pod->uid()));
    const nomination* const left = nominations_.find(pod->namespace_(), pod->name());
    if (left == nullptr || !detail::is_vacant(*left)) return drop_nomination(pod, node);
    const pod_pointer before = left->pod;
    if (before->uid() != pod->uid()) drop_nomination(before, node);  // the next one did not wait here
}

KCONTROL_DECL void scheduler_core::pods_changed(const placement_change& change) {
    event_actions what = change.after == nullptr ? event_actions::delete_ : event_actions::add;
    if (change.before != nullptr && change.after != nullptr) what = changes_of(*change.before, *change.after);
    if (what == event_actions::none) return;
    queue_.event({{detail::pod_resource(), what}, detail::as_object(change.before), detail::as_object(change.after)},
                 now_);
}

// Time.

KCONTROL_DECL void scheduler_core::advance(time_point now) {
    now_ = now;
    queue_.advance(now);
    while (!keep_times_.empty() && keep_times_.begin()->first <= now) {
        const auto& [namespace_, name] = keep_times_.begin()->second;
        const pod_pointer pod = nominations_.find(namespace_, name)->pod;
        drop_nomination(pod, {});
    }
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
        const bool waits_for_members = notice.phase == gang_phase::incomplete || notice.phase == gang_phase::invalid;
        for (const auto& pod : gangs_.waiting(gang)) {
            tell(notice, pod);
            if (waits_for_members && !is_kept(*pod)) lose_nomination(pod);  // it holds nothing meanwhile
        }
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
    if (!keep_times_.empty()) note(keep_times_.begin()->first);
    return out;
}

}  // namespace kcontrol::scheduling
