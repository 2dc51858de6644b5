// NodeResourcesBalancedAllocation: nodes on which the pod evens out the use of the resources are better.
#pragma once

#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/resource_weights.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Compares the standard deviation of the fractions of the resources that are requested, with the pod and without. A
/// node on which it does not change gets 75; the score is between 50 and 100.
///
/// Thread-safety: shared objects safe.
class node_resources_balanced_allocation {
public:
    static constexpr std::string_view name = "NodeResourcesBalancedAllocation";

    /// The resources that count; their weights are of no meaning.
    explicit node_resources_balanced_allocation(std::vector<resource_weight> resources = default_resource_weights())
        : resources_(std::move(resources)) {}

    /// A pod that requests none of the resources changes no balance.
    KCONTROL_DECL status pre_score(const pod_info& pod, const snapshot&, std::span<const node_info* const>) const;
    KCONTROL_DECL std::int64_t score(const pod_info& pod, const node_info& node) const;

private:
    std::vector<resource_weight> resources_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_resources_balanced_allocation.ipp>
#endif
