// NodeResourcesFit: a node takes no more pods than its resources allow.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/resource_weights.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

class claim_catalog;

/// Which nodes are better: those with much left, or those with little.
enum class scoring_strategy : std::uint8_t { least_allocated, most_allocated };

/// The settings of NodeResourcesFit.
class node_resources_fit_options {
public:
    /// Default: least_allocated.
    node_resources_fit_options& strategy(scoring_strategy s) { return strategy_ = s, *this; }
    /// What the score looks at. Default: cpu and memory alike.
    node_resources_fit_options& resources(std::vector<resource_weight> r) { return resources_ = std::move(r), *this; }
    /// Extended resources that filter passes over, such as those that another scheduler hands out. Default: none.
    node_resources_fit_options& ignored_resources(std::vector<std::string> names) {
        return ignored_resources_ = std::move(names), *this;
    }
    /// One more of these.
    node_resources_fit_options& ignore_resource(std::string name) {
        return ignored_resources_.push_back(std::move(name)), *this;
    }
    /// The same for all extended resources of a domain, such as "example.com". Default: none.
    node_resources_fit_options& ignored_resource_groups(std::vector<std::string> domains) {
        return ignored_resource_groups_ = std::move(domains), *this;
    }

    /// Extended resources that a DeviceClass of the catalog stands for pass on nodes that have none of them. A profile
    /// has DynamicResources then, which finds devices for them. Default: none.
    node_resources_fit_options& claims(std::shared_ptr<const claim_catalog> known) {
        return claims_ = std::move(known), *this;
    }

    scoring_strategy strategy() const noexcept { return strategy_; }
    const std::vector<resource_weight>& resources() const noexcept { return resources_; }
    /// Whether filter passes over an extended resource.
    KCONTROL_DECL bool ignores(std::string_view resource) const;
    const std::shared_ptr<const claim_catalog>& claims() const noexcept { return claims_; }

private:
    scoring_strategy strategy_ = scoring_strategy::least_allocated;
    std::vector<resource_weight> resources_ = default_resource_weights();
    std::vector<std::string> ignored_resources_;
    std::vector<std::string> ignored_resource_groups_;
    std::shared_ptr<const claim_catalog> claims_;
};

/// Refuses nodes that have less left than the pod requests, or as many pods as they may have.
///
/// Thread-safety: shared objects safe.
class node_resources_fit {
public:
    static constexpr std::string_view name = "NodeResourcesFit";

    static KCONTROL_DECL std::vector<event_kind> events();
    /// Of a DeviceClass: whether it stands for a resource of the pod now, and did not before.
    static KCONTROL_DECL bool may_help(const pod_info& waiting, const cluster_event& event);

    /// The extended resources that the pod requests and that are not ignored.
    class state {
    private:
        friend class node_resources_fit;
        struct wanted {
            interned_name resource;
            interned_name insufficient;  // the reason
            std::int64_t amount = 0;
            bool has_class = false;  // a DeviceClass stands for it
        };
        std::vector<wanted> extended_;
    };

    /// By default with kube-scheduler's settings.
    explicit node_resources_fit(node_resources_fit_options options = {}) : options_(std::move(options)) {}

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const;
    /// Names each resource that is insufficient. If the node has not enough without any pods, no eviction helps.
    KCONTROL_DECL status filter(const state& of_pod, const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL std::int64_t score(const state&, const pod_info& pod, const node_info& node) const;

private:
    node_resources_fit_options options_;
    interned_name too_many_pods_{"Too many pods"};
    interned_name no_cpu_{"Insufficient cpu"};
    interned_name no_memory_{"Insufficient memory"};
    interned_name no_storage_{"Insufficient ephemeral-storage"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_resources_fit.ipp>
#endif
