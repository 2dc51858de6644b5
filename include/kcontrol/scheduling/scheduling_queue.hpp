// scheduling_queue: the pods that wait for a place, as a plain state machine.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/indexed_heap.hpp>
#include <kcontrol/scheduling/detail/pod_table.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Where a pod is that waits.
enum class queue_state : std::uint8_t {
    active,         ///< pop() gives it
    backoff,        ///< it failed not long ago; active after its backoff
    unschedulable,  ///< plugins rejected it, and nothing happened since that may help
    gated,          ///< a plugin does not let it into the queue
    in_flight,      ///< pop() or take() gave it, and it is being placed
};

/// The place of a pod among the active ones: the smaller comes first, by the first number in which they differ. Of
/// equal ones the pod that came first does.
using queue_rank = std::array<std::int64_t, 3>;

/// Plugins by the numbers that scheduling_queue::add_plugin() gives.
using plugin_set = std::uint64_t;

/// A pod that waits.
struct queued_pod {
    std::shared_ptr<const pod_info> shared;   ///< to keep the pod
    const pod_info* pod = nullptr;            ///< the version that is known
    queue_state state = queue_state::active;  ///< where it is
    time_point added;                         ///< when it came into the queue first
    time_point entered;                       ///< the same, or when it came back from its last attempt
    time_point since;                         ///< when it came to where it is
    time_point backoff_until;                 ///< not active before that
    std::uint32_t attempts = 0;               ///< how often it was in flight
    std::uint32_t rejections = 0;             ///< how often plugins rejected it
    std::uint32_t failures = 0;               ///< how often it failed otherwise since the last rejection
    plugin_set rejected_by = 0;               ///< by the last rejection; of a gated pod: who gates it
};

/// Settings of a scheduling_queue. The defaults are kube-scheduler's.
class scheduling_queue_options {
public:
    /// The rank of a pod. It is asked once when the pod becomes active, when it changes, and by sort().
    using rank_function = std::function<queue_rank(const queued_pod&)>;
    /// The order of active pods. Default: scheduling_queue::default_rank().
    scheduling_queue_options& rank(rank_function f) { return rank_ = std::move(f), *this; }
    /// Which plugins keep a pod out of the queue; 0: none.
    using gate_function = std::function<plugin_set(const pod_info&)>;
    /// The gate of the queue. Default: it is open for all.
    scheduling_queue_options& gate(gate_function f) { return gate_ = std::move(f), *this; }
    /// The backoff after the first failure, and the longest: each failure doubles it. Defaults: 1 s, 10 s.
    scheduling_queue_options& backoff(duration first, duration longest) {
        return first_backoff_ = first, longest_backoff_ = longest, *this;
    }
    /// After that time an unschedulable pod is tried again. Default: 5 min.
    scheduling_queue_options& flush_after(duration d) { return flush_after_ = d, *this; }
    /// So many events are remembered for pods in flight; a pod that was in flight longer is tried again. Default: 4096.
    scheduling_queue_options& remembered_events(std::size_t n) { return remembered_events_ = n, *this; }

    /// What a function of a plugin threw, which concerns that pod only. The message names plugin and function.
    using failure_function = std::function<void(const pod_info&, const error&)>;
    /// Is called for each of these. It must not throw, nor call the queue.
    scheduling_queue_options& on_failure(failure_function f) { return on_failure_ = std::move(f), *this; }

    const rank_function& rank() const noexcept { return rank_; }
    const gate_function& gate() const noexcept { return gate_; }
    const failure_function& on_failure() const noexcept { return on_failure_; }
    duration first_backoff() const noexcept { return first_backoff_; }      ///< after the first failure
    duration longest_backoff() const noexcept { return longest_backoff_; }  ///< after many
    duration flush_after() const noexcept { return flush_after_; }
    std::size_t remembered_events() const noexcept { return remembered_events_; }

private:
    rank_function rank_;
    gate_function gate_;
    failure_function on_failure_;
    duration first_backoff_ = std::chrono::seconds(1);
    duration longest_backoff_ = std::chrono::seconds(10);
    duration flush_after_ = std::chrono::minutes(5);
    std::size_t remembered_events_ = 4096;
};

/// Pods that wait for a place. A pod is in it at most once. pop() gives the first of the active pods, which is in
/// flight then, until one of these is called:
///
/// - done(): it was bound.
/// - reject(): plugins found no place. It waits for an event that one of these plugins named, at most flush_after().
///   Events that came while it was in flight count.
/// - fail(): something else went wrong, such as its binding. It is tried again after its backoff, which delays no other
///   pod.
///
/// A call for a pod that is not in flight, or for another pod of that name, does nothing.
///
/// If a function of a plugin throws, only that pod is concerned. A hint that throws counts as one that may help. If the
/// gate throws, the pod has failed. If the rank does, it has the default rank.
///
/// It has no clock: `now` never goes back from call to call.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class scheduling_queue {
public:
    /// Whether an event may help a pod that the plugin rejected.
    using hint_function = std::function<bool(const pod_info& waiting, const cluster_event& event)>;

    /// An empty queue. Its functions are called with these settings, until it is destroyed.
    KCONTROL_DECL explicit scheduling_queue(scheduling_queue_options options = {});
    KCONTROL_DECL ~scheduling_queue();
    scheduling_queue(const scheduling_queue&) = delete;
    scheduling_queue& operator=(const scheduling_queue&) = delete;

    /// A plugin with the events that may change its answer; `hint` looks closer at these (default: each may help).
    /// Returns the set of this plugin. Errors: limit_exceeded for the 65th plugin.
    KCONTROL_DECL result<plugin_set> add_plugin(std::string name, std::vector<event_kind> events,
                                                hint_function hint = {});
    /// The names of these plugins, in the order of add_plugin().
    KCONTROL_DECL std::vector<std::string_view> names_of(plugin_set plugins) const;

    /// Zero, the negative priority, and queued_pod::entered: the higher priority first, then the pod that waits longer
    /// since its last attempt.
    static KCONTROL_DECL queue_rank default_rank(const queued_pod& pod);

    /// A pod that waits was added or modified. Of another uid: the old pod of that name is forgotten.
    KCONTROL_DECL void set(std::shared_ptr<const pod_info> pod, time_point now);
    /// It does not wait any more: it was deleted, has ended, or is on a node. False: it was not there.
    KCONTROL_DECL bool remove(std::string_view namespace_, std::string_view name, std::string_view uid);

    /// The first active pod, or null. It is in flight then.
    KCONTROL_DECL const queued_pod* pop(time_point now);
    /// The same for this pod, wherever it waits, unless it is gated: for the members of a gang.
    KCONTROL_DECL const queued_pod* take(const pod_info& pod, time_point now);
    KCONTROL_DECL void done(const pod_info& pod);                                   ///< see above
    KCONTROL_DECL void reject(const pod_info& pod, plugin_set by, time_point now);  ///< see above
    KCONTROL_DECL void fail(const pod_info& pod, time_point now);                   ///< see above
    /// Out of flight without an attempt: it is where it would be now if it had not been taken.
    KCONTROL_DECL void put_back(const pod_info& pod, time_point now);

    /// Something happened: the unschedulable and gated pods that it may help move. Returns how many.
    KCONTROL_DECL std::size_t event(const cluster_event& what, time_point now);
    /// Moves a pod that is unschedulable or gated as an event would that helps, and one that is in flight as soon as it
    /// is rejected. False: it is none of these.
    KCONTROL_DECL bool activate(const pod_info& pod, time_point now);
    /// The order changed: active pods are ranked anew.
    KCONTROL_DECL void sort();

    /// Ends backoffs and flushes unschedulable pods whose time has come; pop() does it as well.
    KCONTROL_DECL void advance(time_point now);
    /// When advance() has something to do next.
    KCONTROL_DECL std::optional<time_point> next_deadline() const;

    std::size_t size() const noexcept { return pods_.size(); }                       ///< of all states
    std::size_t size(queue_state state) const noexcept { return in(state).size(); }  ///< of one state
    /// The pod, or null. Valid until the next call of a function that is not const.
    KCONTROL_DECL const queued_pod* find(std::string_view namespace_, std::string_view name) const;

private:
    struct entry;
    struct earlier {
        KCONTROL_DECL bool operator()(const entry& a, const entry& b) const;
    };
    using entries = detail::indexed_heap<entry, earlier>;
    struct entry : queued_pod {
        std::size_t heap_place = 0;
        // Active: its rank. Else the first number is: in backoff and unschedulable when that ends, in flight the first
        // event that it missed.
        queue_rank rank{};
        std::uint64_t number = 0;                  // of the order in which pods came
        queue_state before = queue_state::active;  // in flight: where it was, and its end there
        std::int64_t end_before = 0;
        bool was_updated = false;  // in flight: another version came, or activate() was called
    };
    struct plugin {
        std::string name;
        std::vector<event_kind> events;
        hint_function hint;
    };

    entries& in(queue_state state) noexcept { return states_[static_cast<std::size_t>(state)]; }
    const entries& in(queue_state state) const noexcept { return states_[static_cast<std::size_t>(state)]; }
    KCONTROL_DECL entry* find_entry(const pod_info& pod, bool in_flight) const;
    KCONTROL_DECL void move(entry& pod, queue_state to, std::int64_t key, time_point now);
    KCONTROL_DECL queue_rank rank_of(const entry& pod) const;
    template <class Result, class F>
    Result guarded(const pod_info& pod, std::string_view what, const plugin* of, Result otherwise, F&& call) const;
    KCONTROL_DECL void wake(entry& pod, time_point now);
    KCONTROL_DECL void fly(entry& pod, time_point now);
    KCONTROL_DECL void wait(entry& pod, std::int64_t until, time_point now);
    KCONTROL_DECL time_point backoff_end(std::uint32_t times, time_point now) const;
    KCONTROL_DECL plugin_set interested(const event_kind& in) const;
    KCONTROL_DECL void erase(entry& pod);
    KCONTROL_DECL bool helps(const entry& pod, const cluster_event& what, plugin_set of) const;
    KCONTROL_DECL bool missed_help(const entry& pod) const;
    KCONTROL_DECL void drop_events();

    scheduling_queue_options options_;
    std::vector<plugin> plugins_;
    detail::pod_table<entry> pods_;
    std::array<entries, 5> states_;
    std::uint64_t numbers_ = 0;
    plugin_set waited_for_ = 0;         // by unschedulable and gated pods; more, since the last look at all of them
    std::deque<cluster_event> events_;  // that pods in flight may have missed
    std::int64_t first_event_ = 0;      // the number of the first of these
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/scheduling_queue.ipp>
#endif
