// The resources that scores of NodeResourcesFit and NodeResourcesBalancedAllocation look at.
#pragma once

#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

class resource_weight;

namespace detail {

/// Which amounts count for cpu and memory: what containers request, or at least 100m and 200 MiB for each container.
enum class counted_amounts : std::uint8_t { requested, scored };

/// What a pod requests of one resource, and what there is of it on a node.
struct resource_use {
    std::int64_t allocatable = 0;  // 0: the resource does not count on this node
    std::int64_t before = 0;       // what the node's pods request
    std::int64_t after = 0;        // and with the pod
};

/// Looks them up. A resource other than cpu, memory and ephemeral-storage counts only for pods that request it.
KCONTROL_DECL resource_use use_of(const resource_weight& of, const pod_info& pod, const node_info& node,
                                  counted_amounts counted);

}  // namespace detail

/// A resource and what it counts in a score.
class resource_weight {
public:
    /// `weight` is 1 to 100.
    KCONTROL_DECL resource_weight(std::string_view resource, std::int64_t weight);

    const interned_name& resource() const noexcept { return resource_; }  ///< such as "cpu" or "nvidia.com/gpu"
    std::int64_t weight() const noexcept { return weight_; }              ///< 1 to 100

private:
    friend detail::resource_use detail::use_of(const resource_weight&, const pod_info&, const node_info&,
                                               detail::counted_amounts);
    enum class kind : std::uint8_t { cpu, memory, ephemeral_storage, extended };

    interned_name resource_;
    std::int64_t weight_ = 1;
    kind kind_ = kind::extended;  // the name is compared once
};

/// cpu and memory, each with weight 1: kube-scheduler's default.
KCONTROL_DECL std::vector<resource_weight> default_resource_weights();

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/resource_weights.ipp>
#endif
