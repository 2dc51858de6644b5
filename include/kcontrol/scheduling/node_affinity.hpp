// NodeAffinity: what a pod requires and prefers of its node's labels.
#pragma once

#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The settings of NodeAffinity: what holds for all pods of the profile, besides what each pod says.
class node_affinity_options {
public:
    /// Required of all pods. Default: nothing.
    node_affinity_options& added_required(node_selector s) { return added_required_ = std::move(s), *this; }
    /// Preferred for all pods. Default: nothing.
    node_affinity_options& added_preferred(std::vector<preferred_node_term> terms) {
        return added_preferred_ = std::move(terms), *this;
    }

    const std::optional<node_selector>& added_required() const noexcept { return added_required_; }
    const std::vector<preferred_node_term>& added_preferred() const noexcept { return added_preferred_; }

private:
    std::optional<node_selector> added_required_;
    std::vector<preferred_node_term> added_preferred_;
};

/// Refuses nodes that nodeSelector or the required node affinity does not select. The score is the sum of the weights
/// of the preferred terms that select the node.
///
/// Thread-safety: shared objects safe.
class node_affinity {
public:
    static constexpr std::string_view name = "NodeAffinity";

    static KCONTROL_DECL std::vector<event_kind> events();
    /// Whether the node of the event, if it is one of a node, would not be refused.
    KCONTROL_DECL bool may_help(const pod_info& waiting, const cluster_event& event) const;

    /// By default nothing holds for all pods.
    explicit node_affinity(node_affinity_options options = {}) : options_(std::move(options)) {}

    /// Finds the nodes where each required term names its nodes.
    KCONTROL_DECL pre_filter_result pre_filter(const pod_info& pod, const snapshot& state) const;
    KCONTROL_DECL status filter(const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL status pre_score(const pod_info& pod, const snapshot&, std::span<const node_info* const>) const;
    KCONTROL_DECL std::int64_t score(const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL void normalize_score(std::span<std::int64_t> scores) const;

private:
    node_affinity_options options_;
    interned_name not_for_profile_{"node(s) didn't match scheduler-enforced node affinity"};
    interned_name not_for_pod_{"node(s) didn't match Pod's node affinity/selector"};
    interned_name conflict_{"pod affinity terms conflict"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_affinity.ipp>
#endif
