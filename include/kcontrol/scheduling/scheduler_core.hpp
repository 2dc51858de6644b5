// scheduler_core: a scheduler without its surroundings, as a plain state machine: events and answers in, effects out.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/decider.hpp>
#include <kcontrol/scheduling/gang_book.hpp>
#include <kcontrol/scheduling/nominations.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Bind the pod: permit, pre_bind, bind. The answer is scheduler_core::bound(), refused() or settle().
struct bind_effect {
    decided_pod place;  ///< `assumed` names it in the answer
};

/// Write the condition PodScheduled=False. It differs from what the pod has.
struct condition_effect {
    std::shared_ptr<const pod_info> pod;  ///< which one
    std::string reason;                   ///< Unschedulable or SchedulerError
    std::string message;                  ///< why
};

/// Write status.nominatedNodeName.
struct nominate_effect {
    std::shared_ptr<const pod_info> pod;  ///< which one
    std::string node;                     ///< empty: it has lost the place
};

/// Evict a pod. If that fails, the answer is scheduler_core::eviction_failed().
struct evict_effect {
    std::shared_ptr<const pod_info> pod;        ///< which one
    std::shared_ptr<const pod_info> preemptor;  ///< for which pod; null: its gang was incomplete for too long
    std::string node;                           ///< the node that it leaves
    std::optional<gang_id> gang;                ///< whose time is over
};

/// Write the condition of a PodGroup that says whether its minimum is placed.
struct group_effect {
    gang_id gang;               ///< which one
    bool is_scheduled = false;  ///< its minimum is bound
    std::string message;        ///< why it is not
};

/// What a scheduler is to do.
using effect = std::variant<bind_effect, condition_effect, nominate_effect, evict_effect, group_effect>;

/// Why a binding came to nothing.
struct binding_refusal {
    plugin_set rejected_by = 0;  ///< plugins that refuse the pod (permit); none: something failed
    std::string message;         ///< for the condition of the pod
};

/// Settings of a scheduler_core.
class scheduler_core_options {
public:
    /// Those of its queue. The gate is the decider's. Pods of gangs that have first call come first whatever the rank.
    scheduler_core_options& queue(scheduling_queue_options q) { return queue_ = std::move(q), *this; }
    /// The message of a gang is written after it stayed the same for that long. Default: 1 s.
    scheduler_core_options& gang_message_delay(duration d) { return gang_message_delay_ = d, *this; }

    const scheduling_queue_options& queue() const noexcept { return queue_; }
    duration gang_message_delay() const noexcept { return gang_message_delay_; }

private:
    scheduling_queue_options queue_;
    duration gang_message_delay_ = std::chrono::seconds(1);
};

/// A scheduler: the cache, the queue, the gangs and the nominations in step. Events of watches, answers to what it
/// asked for and the time go in; effects come out, to be carried out in their order for each pod. After the lists of
/// nodes, pods, namespaces and PodGroups went in, call step() until it returns false, after each input.
///
/// A pod is bound at most once at a time. Its placement counts until the answer. Answers may come late, in any order,
/// and after the pod is deleted. A restart needs nothing but new lists.
///
/// Pods of a gang are tried together as soon as its minimum exists, and hold nothing until they are placed together.
/// Those beyond the minimum are placed one by one. A gang that is incomplete for too long is evicted.
///
/// A pod with the annotation `scheduling.kcontrol.dev/keep-place: 60s` that is deleted before it has ended leaves its
/// place to the next pod of its namespace and name, for so long, or 5 minutes if that is less. Until that pod comes,
/// and while it waits, pods of its priority and below do not get the place. A pod that is evicted here leaves nothing.
///
/// It has no clock: `now` never goes back from call to call.
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Object lifetime: the decider outlives it.
class scheduler_core {
public:
    /// A scheduler without nodes and pods.
    KCONTROL_DECL explicit scheduler_core(decider& by, scheduler_core_options options = {});
    KCONTROL_DECL ~scheduler_core();

    /// A plugin of the decider, as scheduling_queue::add_plugin(). Errors: limit_exceeded; two plugins are the core's.
    KCONTROL_DECL result<plugin_set> add_plugin(std::string name, std::vector<event_kind> events,
                                                scheduling_queue::hint_function hint = {});

    /// A node was added or modified.
    KCONTROL_DECL void set_node(std::shared_ptr<const api::core::v1::node> node, time_point now);
    KCONTROL_DECL void remove_node(std::string_view name, time_point now);  ///< a node was deleted
    /// A namespace was added or modified.
    KCONTROL_DECL void set_namespace(std::shared_ptr<const api::core::v1::namespace_> object, time_point now);
    KCONTROL_DECL void remove_namespace(std::string_view name, time_point now);  ///< a namespace was deleted
    /// A pod was added or modified, whichever scheduler's. When the decider's profiles change, set all pods again.
    KCONTROL_DECL void set_pod(std::shared_ptr<const api::core::v1::pod> pod, time_point now);
    /// A pod was deleted.
    KCONTROL_DECL void remove_pod(std::string_view namespace_, std::string_view name, std::string_view uid,
                                  time_point now);
    /// A PodGroup was added or modified.
    KCONTROL_DECL void set_group(const gang_id& group, gang_terms terms, time_point now);
    KCONTROL_DECL void remove_group(const gang_id& group, time_point now);  ///< a PodGroup was deleted
    /// Something happened to an object of another kind.
    KCONTROL_DECL void event(const cluster_event& what, time_point now);

    /// Decides about the first active pod, or its gang. False: no pod is active.
    KCONTROL_DECL bool step(time_point now);

    /// The binding succeeded.
    KCONTROL_DECL void bound(const assumption& of, time_point now);
    /// The pod was not bound and will not be.
    KCONTROL_DECL void refused(const assumption& of, const binding_refusal& why, time_point now);
    /// The answer was lost, or was a conflict: this was read of the pod since; null: it does not exist.
    KCONTROL_DECL void settle(const assumption& of, std::shared_ptr<const api::core::v1::pod> read, time_point now);
    /// The eviction of a pod failed: it stays.
    KCONTROL_DECL void eviction_failed(const pod_info& pod, time_point now);
    /// A condition could not be written: it is written again with the next decision about the pod.
    KCONTROL_DECL void condition_failed(const pod_info& pod);

    /// Does what is due: backoffs, flushes, messages of gangs, evictions.
    KCONTROL_DECL void advance(time_point now);
    /// When advance() has something to do next.
    KCONTROL_DECL std::optional<time_point> next_deadline() const;
    /// What is to be done since the last call.
    std::vector<effect> take_effects() { return std::exchange(effects_, {}); }

    /// What a decision would be made on now, to explain one. Valid until the next call; what is assumed must be undone.
    decision_inputs inputs(time_point now) { return {cache_, nominations_, now}; }
    const cache& nodes() const noexcept { return cache_; }                                ///< nodes and pods
    const scheduling_queue& queue() const noexcept { return queue_; }                     ///< pods that wait
    const gang_book& gangs() const noexcept { return gangs_; }                            ///< gangs
    const scheduling::nominations& nominations() const noexcept { return nominations_; }  ///< places kept
    std::size_t binding_count() const noexcept { return bindings_.size(); }               ///< answers to come
    /// How often a pod that another scheduler placed left its node with more than its allocatable.
    std::uint64_t foreign_overcommits() const noexcept { return foreign_overcommits_; }

private:
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    template <class T>
    using by_uid = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;
    using pod_pointer = std::shared_ptr<const pod_info>;
    using pod_name = std::pair<std::string, std::string>;  // with its namespace
    static pod_name name_of(const pod_info& pod) { return {std::string(pod.namespace_()), std::string(pod.name())}; }
    // What the pods of a gang are told, and what was known of it last.
    struct gang_notice {
        gang_phase phase = gang_phase::incomplete;
        std::string message;                 // empty: nothing
        std::optional<time_point> write_at;  // when it has stayed the same for long enough; absent: it is written
        std::optional<bool> is_scheduled;    // as its PodGroup was told
        bool is_ours = false;                // pods of this scheduler are in it
    };

    KCONTROL_DECL scheduling_queue_options queue_options(scheduling_queue_options from);
    KCONTROL_DECL plugin_set gate(const pod_info& pod);
    KCONTROL_DECL queue_rank rank(const queued_pod& pod, const scheduling_queue_options::rank_function& usual) const;
    KCONTROL_DECL void pods_changed(const placement_change& change);
    KCONTROL_DECL void set_waiting(const pod_pointer& pod);
    KCONTROL_DECL void leave_queue(pod_pointer pod, std::string_view node);
    KCONTROL_DECL void drop_nomination(const pod_pointer& pod, std::string_view placed_on);
    KCONTROL_DECL void lose_nomination(const pod_pointer& pod);
    KCONTROL_DECL void keep_place(const placed_pod& of);
    KCONTROL_DECL void keep_no_longer(const pod_info& pod);
    bool is_kept(const pod_info& pod) const { return kept_until_.contains(name_of(pod)); }
    KCONTROL_DECL void decide(const pod_pointer& pod);
    KCONTROL_DECL void decide_gang(const pod_pointer& first, const gang_status& status);
    KCONTROL_DECL void gang_misfits(const gang_status& status, std::int32_t fitting, std::string_view misfit,
                                    const std::vector<pod_pointer>& members);
    KCONTROL_DECL std::string kept_out_message(const pod_info& pod) const;
    KCONTROL_DECL void place(decided_pod made);
    KCONTROL_DECL void refuse(const decided_pod& made);
    KCONTROL_DECL void preempt(const decided_pod& of);
    KCONTROL_DECL void evict(const pod_pointer& pod, const pod_pointer& preemptor, const gang_id* gang);
    KCONTROL_DECL std::optional<decided_pod> take_binding(const assumption& of);
    KCONTROL_DECL void release(const decided_pod& made, plugin_set rejected_by);
    KCONTROL_DECL void write_condition(const pod_pointer& pod, std::string_view reason, std::string_view message);
    KCONTROL_DECL void gang_changed(const gang_id& gang);
    KCONTROL_DECL void set_message(const gang_id& gang, gang_notice& notice, std::string message);
    KCONTROL_DECL void tell(const gang_notice& notice, const pod_pointer& pod);
    KCONTROL_DECL void tell_group(const gang_id& gang, gang_notice& notice, bool is_scheduled);

    decider& decider_;
    duration gang_message_delay_;
    time_point now_{};
    std::uint64_t queue_version_ = 0;  // of the decider, as the queue is ordered
    plugin_set own_ = 0;               // plugin of the core: the pod itself must change
    plugin_set gang_ = 0;              // plugin of the core: its gang must change
    cache cache_;
    gang_book gangs_;
    scheduling::nominations nominations_;
    std::map<pod_name, time_point> kept_until_;  // nominations that a deleted pod has left to the next of its name
    std::set<std::pair<time_point, pod_name>> keep_times_;
    scheduling_queue queue_;
    by_uid<decided_pod> bindings_;                            // whose answers are to come
    by_uid<std::pair<std::string, std::string>> conditions_;  // reason and message, as they were written last
    std::map<gang_id, gang_notice> notices_;
    std::set<std::pair<time_point, gang_id>> notice_times_;
    std::vector<effect> effects_;
    std::uint64_t foreign_overcommits_ = 0;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/scheduler_core.ipp>
#endif
