// Preemption: which pods must go so that a pod, or a gang, has a place.
#pragma once

#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/post_filter.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A PodDisruptionBudget as its status is.
struct disruption_budget {
    std::string namespace_;                   ///< of its pods
    label_selector selector;                  ///< its pods
    std::int32_t disruptions_allowed = 0;     ///< status.disruptionsAllowed
    std::vector<std::string> disrupted_pods;  ///< names in status.disruptedPods: these count already
};

/// Whom a program lets be evicted.
class preemption_policy {
public:
    /// Whether `preemptor` may take the place of `victim`.
    using victim_function = std::function<bool(const pod_info& preemptor, const pod_info& victim)>;
    /// The budgets as they are now.
    using budgets_function = std::function<std::vector<disruption_budget>()>;

    /// Default: pods of lower priority, unless the preemptor has preemptionPolicy Never. It must not allow two pods to
    /// take each other's place, or they do so forever.
    preemption_policy& may_evict(victim_function f) { return may_evict_ = std::move(f), *this; }
    /// Default: none.
    preemption_policy& budgets(budgets_function f) { return budgets_ = std::move(f), *this; }
    /// Default false: the freed place is kept from pods up to the priority of the preemptor and of its victims. True:
    /// from all pods, where the queue's order is not that of priorities.
    preemption_policy& keeps_from_all(bool yes) { return keeps_from_all_ = yes, *this; }
    /// On how many nodes a place is looked for. Default: as DefaultPreemption, 10 % and at least 100.
    preemption_policy& candidate_nodes(std::int32_t percentage, std::int32_t least) {
        return percentage_ = percentage, least_ = least, *this;
    }

    KCONTROL_DECL bool may_evict(const pod_info& preemptor, const pod_info& victim) const;
    std::vector<disruption_budget> budgets() const { return budgets_ ? budgets_() : std::vector<disruption_budget>(); }
    bool keeps_from_all() const noexcept { return keeps_from_all_; }
    std::int32_t candidate_percentage() const noexcept { return percentage_; }
    std::int32_t least_candidates() const noexcept { return least_; }

private:
    victim_function may_evict_;
    budgets_function budgets_;
    bool keeps_from_all_ = false;
    std::int32_t percentage_ = 10;
    std::int32_t least_ = 100;
};

/// What is to be evicted, and for whom. A trial with all plugins has shown that each pod of `places` fits then.
struct preemption_plan {
    std::vector<nomination> places;                        ///< none: no eviction helps
    std::vector<std::shared_ptr<const pod_info>> victims;  ///< may be empty: there is room already
    std::string reason;                                    ///< why no eviction helps

    bool found() const noexcept { return !places.empty(); }  ///< evictions help
};

/// Which pods must go so that the pod has a place, after decide() has refused it. It evicts nobody whom the policy
/// protects, breaks no budget, and takes all members of a gang or none. The best node is the
/// one whose most important victim has the lowest priority, then the one with few and low priorities, as for
/// kube-scheduler. The cache is as before.
KCONTROL_DECL preemption_plan plan_preemption(cycle& round, cache& cluster, const std::shared_ptr<const pod_info>& pod,
                                              const preemption_policy& policy,
                                              const nominations& nominated = cycle::none());
/// The same for a gang of which `needed` members must find a place together.
KCONTROL_DECL preemption_plan plan_preemption(cycle& round, cache& cluster,
                                              std::span<const std::shared_ptr<const pod_info>> members,
                                              std::int32_t needed, const preemption_policy& policy,
                                              const nominations& nominated = cycle::none());

/// plan_preemption() as a plugin, by kube-scheduler's name.
class default_preemption {
public:
    static constexpr std::string_view name = "DefaultPreemption";

    explicit default_preemption(preemption_policy policy = {}) : policy_(std::move(policy)) {}
    KCONTROL_DECL post_filter_result post_filter(const post_filter_request& request) const;
    const preemption_policy& policy() const noexcept { return policy_; }

private:
    preemption_policy policy_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/preemption.ipp>
#endif
