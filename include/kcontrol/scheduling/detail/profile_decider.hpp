// profile_decider: what scheduler_core asks is answered by the plugins of profiles.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/decider.hpp>
#include <kcontrol/scheduling/decision.hpp>
#include <kcontrol/scheduling/detail/scheduler_metrics.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/preemption.hpp>
#include <kcontrol/scheduling/profile.hpp>
#include <kcontrol/scheduling/scheduler_core.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// A profile, and the cycle that decides by it.
struct deciding_profile {
    explicit deciding_profile(profile p, cycle_options how) : with(std::move(p)), round(with, std::move(how)) {}

    profile with;
    cycle round;
};

/// What is kept of a placement until its binding ends, also when the profiles have changed since.
struct kept_placement {
    std::shared_ptr<deciding_profile> by;
    placement place;
};

/// What one round was: of a pod, or of a gang.
struct round_report {
    std::string_view profile;  ///< the scheduler name
    const pod_info* first;     ///< the pod, or the first of the gang
    std::size_t pods;          ///< how many were tried
    std::size_t placed;        ///< how many have a place
    duration took;             ///< all of it
    std::string_view message;  ///< why not; of the first that has no place
};

/// Decides by profiles, which may be exchanged.
///
/// Thread-safety: distinct objects safe. Object lifetime: environment and metrics outlive it.
class profile_decider final : public decider {
public:
    using report_function = std::function<void(const round_report&)>;

    /// `report` is called after each round. `policy` is for gangs, whose places no post_filter makes.
    KCONTROL_DECL profile_decider(environment& env, scheduler_metrics& metrics, preemption_policy policy,
                                  report_function report);

    /// These profiles count from now on. Errors: limit_exceeded (plugins of more than 62 names).
    KCONTROL_DECL result<void> set_profiles(std::vector<profile> all, scheduler_core& core);
    /// For scheduler_core_options::queue().
    KCONTROL_DECL queue_rank rank_of(const queued_pod& pod) const;
    /// What is said about each node. Errors: invalid_argument (no profile has the pod's scheduler name).
    KCONTROL_DECL result<explanation> explain(const pod_info& pod, const decision_inputs& on);
    /// The same of the pods that would have to go.
    KCONTROL_DECL result<preemption_plan> what_must_go(const std::shared_ptr<const pod_info>& pod,
                                                       const decision_inputs& on, const preemption_policy& policy);

    bool schedules(const api::core::v1::pod& pod) const override;
    plugin_set gate(const pod_info& pod) override;
    std::uint64_t queue_version() const override;
    decided_pod decide(std::shared_ptr<const pod_info> pod, const decision_inputs& on) override;
    decided_gang decide_gang(std::span<const std::shared_ptr<const pod_info>> pods, std::int32_t missing,
                             const decision_inputs& on) override;
    void unreserve(decided_pod& of) override;

private:
    using profile_pointer = std::shared_ptr<deciding_profile>;

    KCONTROL_DECL profile_pointer find(const pod_info& pod) const;
    KCONTROL_DECL result<profile_pointer> named_by(const pod_info& pod) const;
    KCONTROL_DECL bool may_help(std::string_view plugin, const pod_info& waiting, const cluster_event& event) const;
    KCONTROL_DECL void take_place(decided_pod& to, const profile_pointer& by, placement place,
                                  const decision_inputs& on);
    KCONTROL_DECL void count(const deciding_profile& by, const decided_pod& decided, duration took);

    environment& env_;
    scheduler_metrics& metrics_;
    preemption_policy policy_;
    report_function report_;
    std::map<std::string, profile_pointer, std::less<>> profiles_;  // by scheduler name
    std::map<std::string, plugin_set, std::less<>> numbers_;        // of plugins, by their names
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/profile_decider.ipp>
#endif
