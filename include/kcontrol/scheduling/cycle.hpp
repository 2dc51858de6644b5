// cycle: decides where pods go, by the plugins of a profile.
#pragma once

#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/decision.hpp>
#include <kcontrol/scheduling/nominations.hpp>
#include <kcontrol/scheduling/profile.hpp>
#include <kcontrol/scheduling/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

namespace detail {
class preemption_search;
}

/// The settings of a cycle.
class cycle_options {
public:
    /// Chooses among nodes of the same score. Default 0.
    cycle_options& seed(std::uint64_t s) { return seed_ = s, *this; }
    /// Gets to know each call of a plugin; it outlives the cycle. Default: none.
    cycle_options& observer(plugin_observer* o) { return observer_ = o, *this; }

    std::uint64_t seed() const noexcept { return seed_; }
    plugin_observer* observer() const noexcept { return observer_; }

private:
    std::uint64_t seed_ = 0;
    plugin_observer* observer_ = nullptr;
};

/// Decides as kube-scheduler does. It keeps memory from pod to pod, and where it stopped looking at nodes, so that all
/// nodes have their turn. The same calls give the same decisions.
///
/// Thread-safety: distinct objects safe.
/// Object lifetime: the profile outlives it, and is not changed.
class cycle {
public:
    explicit KCONTROL_DECL cycle(const profile& with, cycle_options options = {});
    KCONTROL_DECL ~cycle();
    cycle(const cycle&) = delete;
    cycle& operator=(const cycle&) = delete;

    const profile& with() const noexcept { return *profile_; }  ///< whose plugins decide

    /// Where the pod goes. `nodes` is what cache::prepare(pod, with().labels()) returned. Nothing is changed: the
    /// decision counts after cache::assume(). A pod that is nominated gets its node if that can take it.
    KCONTROL_DECL decision decide(const snapshot& nodes, const pod_info& pod, const nominations& nominated = none());
    /// After a decision, before the next one and before cache::assume(): plugins reserve what the pod needs. Where one
    /// refuses or throws, `decided` becomes what it answered, and there is no placement.
    KCONTROL_DECL std::optional<placement> reserve(const snapshot& nodes, std::shared_ptr<const pod_info> pod,
                                                   decision& decided);
    /// After a decision that refused the pod: what the first post_filter proposes that has a proposal. Without one, the
    /// answer of the last; skip: there is no post_filter. `gang`: as post_filter_request has it.
    KCONTROL_DECL post_filter_result post_filter(cache& cluster, const std::shared_ptr<const pod_info>& pod,
                                                 decision& decided, const nominations& nominated = none(),
                                                 std::span<const std::shared_ptr<const pod_info>> gang = {});

    /// Tries members of a gang in turn on one snapshot; each that fits counts for the next ones. Where at least
    /// `needed` fit, plugins have reserved what these need, and the caller calls cache::assume() for each. Otherwise
    /// nothing is reserved. The cache is as before. If a plugin has generate_placements, they are tried on each of its
    /// sets of nodes, until one works.
    KCONTROL_DECL gang_decision decide_gang(cache& cluster, std::span<const std::shared_ptr<const pod_info>> members,
                                            std::int32_t needed, const nominations& nominated = none());

    /// What is said about each node, without the rule of how many nodes are looked at.
    KCONTROL_DECL explanation explain(const snapshot& nodes, const pod_info& pod,
                                      const nominations& nominated = none());

    static KCONTROL_DECL const nominations& none() noexcept;  ///< no place is kept

private:
    friend class detail::preemption_search;
    struct workspace;
    static constexpr std::size_t block_size = 256;  // nodes that go through a filter before the next one

    KCONTROL_DECL gang_decision try_gang(cache& cluster, std::span<const std::shared_ptr<const pod_info>> members,
                                         std::int32_t needed, const nominations& nominated);
    KCONTROL_DECL bool start(const snapshot& nodes, const pod_info& pod, const nominations& nominated, decision& to);
    KCONTROL_DECL void mark_nominated(const snapshot& nodes, const pod_info& pod, const nominations& nominated);
    static KCONTROL_DECL bool is_kept_from(const snapshot& nodes, const pod_info& pod, const nomination& place);
    KCONTROL_DECL void guard_places(const snapshot& nodes, const pod_info& pod, const nominations& nominated);
    KCONTROL_DECL void refuse_spoilers(const pod_info& pod);
    KCONTROL_DECL void fail(decision& to, std::size_t plugin, plugin_point point, status said) const;
    KCONTROL_DECL bool pre_filter(const snapshot& nodes, const pod_info& pod, decision& to);
    KCONTROL_DECL void name_nodes(const std::vector<const node_info*>& by);
    KCONTROL_DECL void refuse_unnamed(const snapshot& nodes, decision& to) const;
    KCONTROL_DECL bool try_nominated_node(const snapshot& nodes, const pod_info& pod, const nominations& nominated,
                                          decision& to);
    KCONTROL_DECL bool filter_nodes(const std::vector<const node_info*>& all, std::size_t begin, std::size_t wanted,
                                    const pod_info& pod, decision& to);
    KCONTROL_DECL void run_filters(const pod_info& pod, detail::filter_block& block,
                                   const detail::plugin_states& states);
    KCONTROL_DECL bool take_refusals(decision& to);
    KCONTROL_DECL bool fits_beside(const pod_info& pod, const node_info& node);
    KCONTROL_DECL void copy_states(detail::plugin_states& to) const;
    KCONTROL_DECL bool change_states(const pod_info& pod, const pod_info& other, const node_info& node, bool add);
    KCONTROL_DECL bool score_nodes(const snapshot& nodes, const pod_info& pod, decision& to,
                                   std::vector<node_explanation>* each);
    KCONTROL_DECL bool score_by(std::size_t plugin, const pod_info& pod, decision& to);
    KCONTROL_DECL std::size_t best_of_sums(decision& to);
    KCONTROL_DECL void explain_nodes(const snapshot& nodes, std::vector<node_explanation> feasible,
                                     explanation& to) const;

    const profile* profile_;
    cycle_options options_;
    std::unique_ptr<workspace> work_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/cycle.ipp>
#endif
