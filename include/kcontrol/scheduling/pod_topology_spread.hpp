// PodTopologySpread: the pods of an application are spread over zones, nodes or other domains.
#pragma once

#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/round_topology.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The settings of PodTopologySpread: constraints of pods that have none themselves.
class pod_topology_spread_options {
public:
    /// Which pods belong together: the selectors of the Services, ReplicaSets, StatefulSets and ReplicationControllers
    /// that select the pod, all of them. Empty: the pod belongs to none, and has no constraints. It must not be called
    /// from several threads unless it allows that.
    using default_selector_function = std::function<label_selector(const pod_info&)>;

    /// Default: none, so that the constraints below hold for no pod.
    pod_topology_spread_options& default_selector(default_selector_function f) {
        return default_selector_ = std::move(f), *this;
    }
    /// Their selectors are not used. Default: kube-scheduler's, a skew of 3 between nodes and of 5 between zones, which
    /// are preferred.
    pod_topology_spread_options& default_constraints(std::vector<spread_constraint> constraints) {
        return default_constraints_ = std::move(constraints), *this;
    }

    const default_selector_function& default_selector() const noexcept { return default_selector_; }
    /// Absent: kube-scheduler's. With those, nodes that have no zone are spread over, too.
    const std::optional<std::vector<spread_constraint>>& default_constraints() const noexcept {
        return default_constraints_;
    }

private:
    default_selector_function default_selector_;
    std::optional<std::vector<spread_constraint>> default_constraints_;
};

/// Refuses nodes on which the pod would make its domain exceed the emptiest one by more than maxSkew pods. For
/// constraints with ScheduleAnyway, domains with few pods are better.
///
/// Thread-safety: shared objects safe.
class pod_topology_spread {
public:
    static constexpr std::string_view name = "PodTopologySpread";

    static KCONTROL_DECL std::vector<event_kind> events();

    /// How the pods are spread over the domains of each constraint.
    class state {
    private:
        friend class pod_topology_spread;
        // Which nodes count: the bits of a node's flags.
        static constexpr std::uint8_t has_labels = 1, fulfils_affinity = 2, tolerated = 4;

        struct constraint {
            const spread_constraint* rule;
            detail::round_topology nodes;
        };
        struct required {
            constraint by;
            std::vector<std::int32_t> pods;  // by domain; -1: no node counts
            std::int32_t domains = 0;        // those where nodes count
            std::int32_t least = 0;          // the fewest pods in one of those,
            std::int32_t with_least = 0;     // and how many of them have as few
            bool counts_itself = false;      // the pod is one of those that are counted

            KCONTROL_DECL void add_domain(std::int32_t domain) noexcept;
            KCONTROL_DECL void change(std::int32_t domain, std::int32_t difference) noexcept;
            KCONTROL_DECL void find_least() noexcept;
        };
        struct preferred {
            constraint by;
            bool is_by_node = false;         // its domains are the nodes themselves
            std::vector<std::int64_t> pods;  // by domain, or by slot
            double weight = 0;
        };

        KCONTROL_DECL void flag_nodes(const pod_info& pod, const snapshot& nodes);
        bool has_all_labels(const node_info& node) const noexcept { return (flags_[node.slot()] & has_labels) != 0; }
        KCONTROL_DECL bool counts(const node_info& node, const spread_constraint& rule) const noexcept;

        // Those of the profile, for this pod: as pre_filter and as pre_score took them. Rules point there.
        std::array<std::shared_ptr<const std::vector<spread_constraint>>, 2> defaults_;
        std::vector<constraint> constraints_;  // required or preferred ones
        std::vector<std::uint8_t> flags_;      // by slot
        std::vector<required> required_;
        std::vector<preferred> preferred_;
        bool needs_all_labels_ = true;  // a node without one of the labels gets no score
    };

    /// By default only pods that have constraints have any.
    KCONTROL_DECL explicit pod_topology_spread(pod_topology_spread_options options = {});

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const;
    KCONTROL_DECL status filter(const state& of_pod, const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL void add_pod(state& of_pod, const pod_info& pod, const pod_info& other, const node_info& node) const;
    KCONTROL_DECL void remove_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                  const node_info& node) const;

    KCONTROL_DECL status pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                   std::span<const node_info* const> feasible) const;
    /// The number of pods in the node's domains, weighed.
    KCONTROL_DECL std::int64_t score(const state& of_pod, const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL void normalize_score(const state& of_pod, std::span<std::int64_t> scores,
                                       std::span<const node_info* const> nodes) const;

private:
    KCONTROL_DECL void take_constraints(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                        bool is_required) const;
    KCONTROL_DECL void change(state& of_pod, const pod_info& pod, const pod_info& other, const node_info& node,
                              std::int32_t by) const;

    pod_topology_spread_options options_;
    std::vector<spread_constraint> defaults_;
    interned_name hostname_{"kubernetes.io/hostname"};
    interned_name no_label_{"node(s) didn't match pod topology spread constraints (missing required label)"};
    interned_name uneven_{"node(s) didn't match pod topology spread constraints"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/pod_topology_spread.ipp>
#endif
