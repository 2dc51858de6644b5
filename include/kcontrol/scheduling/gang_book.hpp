// gang_book: which pods belong together, and what each gang waits for, as a plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/gang_claim.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// What holds for a gang.
enum class gang_phase : std::uint8_t {
    invalid,     ///< its pods contradict each other, or one of them is wrong
    incomplete,  ///< fewer of its pods than its minimum can be placed, or its PodGroup does not exist
    ready,       ///< the pods that wait are tried together
    complete,    ///< its minimum is placed; further pods are placed one by one
};

/// A gang as it is now.
struct gang_status {
    gang_id gang;                               ///< which gang
    gang_phase phase = gang_phase::incomplete;  ///< what follows from all else
    std::int32_t minimum = 1;                   ///< pods that it needs
    std::int32_t waiting = 0;                   ///< its pods without a place that can be placed
    std::int32_t held = 0;                      ///< its pods that can't be: gates hold them, or something is wrong
    std::int32_t placed = 0;                    ///< its pods with a place, assumed ones too, and those that succeeded
    std::int32_t bound = 0;                     ///< the same without the assumed ones
    bool has_first_call = false;                ///< it ran, and lost a member not long ago: it comes before others
    std::string message;                        ///< why its pods wait, unless it is ready or complete

    /// How many pods must be found a place together.
    std::int32_t missing() const noexcept { return placed < minimum ? minimum - placed : 0; }
};

/// A gang whose time is over: these of its pods are to be evicted.
struct gang_eviction {
    gang_id gang;                                       ///< which gang
    std::vector<std::shared_ptr<const pod_info>> pods;  ///< those that are on nodes, by name
};

/// The gangs of a scheduler. A gang has a minimum. As long as fewer pods of it exist, all wait, and hold nothing. Then
/// they are tried together: as many as the minimum lacks are placed, or none. A pod that fails to bind is tried again,
/// with what is missing then.
///
/// A gang of which some pods are bound, and fewer than its minimum, is incomplete. After its timeout it is due: its
/// bound pods are to be evicted. A gang that had its minimum and lost pods, or all of them, has first call on a place
/// for 5 minutes; it is due when both that time and its timeout are over. Pods that succeeded count as placed, those
/// that failed do not. A pod without a node that is being deleted does not count. A process that restarts begins to
/// count anew for gangs that it finds incomplete.
///
/// A gang with a PodGroup has no minimum until the PodGroup is known: it is neither complete nor due before.
///
/// It has no clock: `now` never goes back from call to call.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class gang_book {
public:
    /// How long a gang that lost a pod comes first.
    static constexpr duration first_call = std::chrono::minutes(5);
    /// due() names a gang again after this time if its pods are still there.
    static constexpr duration eviction_pause = std::chrono::seconds(10);

    /// A PodGroup was added or modified. A minimum below 1 is as 1.
    KCONTROL_DECL void set_group(const gang_id& group, gang_terms terms, time_point now);
    KCONTROL_DECL void remove_group(const gang_id& group, time_point now);  ///< a PodGroup was deleted

    /// A pod was added or modified. Returns its gang, or none if it belongs to none.
    KCONTROL_DECL std::optional<gang_id> set_pod(std::shared_ptr<const pod_info> pod, time_point now);
    /// A pod was deleted. Returns its gang, or none if it belonged to none.
    KCONTROL_DECL std::optional<gang_id> remove_pod(std::string_view namespace_, std::string_view name,
                                                    std::string_view uid, time_point now);
    /// The same.
    void remove_pod(const pod_info& pod, time_point now) { remove_pod(pod.namespace_(), pod.name(), pod.uid(), now); }

    /// The decision for a pod of a gang, or its end: as cache::assume() and forget().
    KCONTROL_DECL void set_assumed(const pod_info& pod, bool is_assumed, time_point now);

    /// The gang of a pod, or none.
    KCONTROL_DECL std::optional<gang_id> gang_of(const pod_info& pod) const;
    /// What holds for a gang; of one that is not known, that it has no pods.
    KCONTROL_DECL gang_status status(const gang_id& gang, time_point now) const;
    /// The same without all that it takes to say why.
    KCONTROL_DECL gang_phase phase(const gang_id& gang) const;
    /// Whether it ran, and lost a member not long ago.
    KCONTROL_DECL bool has_first_call(const gang_id& gang, time_point now) const;
    /// Its pods that wait for a place, by name.
    KCONTROL_DECL std::vector<std::shared_ptr<const pod_info>> waiting(const gang_id& gang) const;
    /// The message for its pods when `fitting` of them have or would find a place: `misfit` is why the first one does
    /// not.
    static KCONTROL_DECL std::string misfit_message(const gang_status& of, std::int32_t fitting,
                                                    std::string_view misfit);

    /// The gangs whose time is over. It also forgets gangs without pods whose first call is over.
    KCONTROL_DECL std::vector<gang_eviction> due(time_point now);
    /// When due() has something to say next.
    KCONTROL_DECL std::optional<time_point> next_deadline() const;

    std::size_t size() const noexcept { return gangs_.size(); }  ///< gangs with pods, and PodGroups

private:
    enum class member_state : std::uint8_t { waiting, held, leaving, assumed, bound, succeeded };
    struct member {
        std::shared_ptr<const pod_info> pod;
        gang_claim claim;
        member_state state = member_state::waiting;
    };
    struct gang {
        std::optional<gang_terms> group;        // of its PodGroup
        std::map<std::string, member> members;  // by name
        std::array<std::int32_t, 6> counts{};   // of members by state
        std::string wrong;                      // what members say, if they contradict each other
        std::optional<time_point> lost_at;      // it was complete, and is not
        std::optional<time_point> due_at;       // pods are bound, and fewer than the minimum
        std::optional<time_point> timed_at;     // its place in times_
        bool was_complete = false;

        std::int32_t in(member_state state) const { return counts[static_cast<std::size_t>(state)]; }
    };

    KCONTROL_DECL const gang& find(const gang_id& id) const;
    static KCONTROL_DECL gang_status counts_of(const gang_id& id, const gang& of);
    static KCONTROL_DECL gang_phase phase_of(const gang& of, const gang_status& counts);
    static KCONTROL_DECL bool has_first_call(const gang& of, time_point now);
    static KCONTROL_DECL gang_terms terms_of(const gang& of);
    static KCONTROL_DECL member_state state_of(const pod_info& pod, member_state before);
    static KCONTROL_DECL std::string held_message(const gang_status& of, const gang& in);
    KCONTROL_DECL member* find_member(std::string_view namespace_, std::string_view name);
    KCONTROL_DECL void set_state(gang& of, member& pod, member_state state);
    static KCONTROL_DECL void compare(gang& of, const member& with);
    static KCONTROL_DECL void compare_all(gang& of);
    KCONTROL_DECL void drop(std::string_view namespace_, std::string_view name, time_point now);
    KCONTROL_DECL void changed(const gang_id& id, time_point now);
    KCONTROL_DECL void set_time(const gang_id& id, gang& of);

    std::map<gang_id, gang> gangs_;
    std::set<std::pair<time_point, gang_id>> times_;                      // when gangs are due, or are forgotten
    std::map<std::pair<std::string, std::string>, gang_id> gang_of_pod_;  // by namespace and name
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/gang_book.ipp>
#endif
