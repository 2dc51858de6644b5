// InterPodAffinity: pods that are to be near other pods, or apart from them.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/detail/round_topology.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The settings of InterPodAffinity.
class inter_pod_affinity_options {
public:
    /// What a required term of affinity of another pod counts in the score, where it selects the pod. 0 to 100;
    /// default 1.
    inter_pod_affinity_options& hard_pod_affinity_weight(std::int32_t weight) {
        return hard_pod_affinity_weight_ = weight, *this;
    }
    /// Whether the score of a pod without preferred terms is 0. Default false: terms of other pods count, too.
    inter_pod_affinity_options& ignore_preferred_terms_of_existing_pods(bool yes) {
        return ignore_preferred_terms_of_existing_pods_ = yes, *this;
    }

    std::int32_t hard_pod_affinity_weight() const noexcept { return hard_pod_affinity_weight_; }
    /// As the setter was given.
    bool ignores_preferred_terms_of_existing_pods() const noexcept { return ignore_preferred_terms_of_existing_pods_; }

private:
    std::int32_t hard_pod_affinity_weight_ = 1;
    bool ignore_preferred_terms_of_existing_pods_ = false;
};

namespace detail {

/// Sums for the domains of labels. There are few labels.
class sums_by_label {
public:
    void clear(const snapshot& nodes) { nodes_ = &nodes, all_.clear(), was_added_to_ = false; }
    /// Whether nothing was added, if only 0.
    bool empty() const noexcept { return !was_added_to_; }
    /// Adds to the sum of the node's domain. A node that has no such label has none.
    KCONTROL_DECL void add(const interned_name& label, const node_info& node, std::int64_t amount);
    /// The sum of the sums of the node's domains.
    KCONTROL_DECL std::int64_t sum_at(const node_info& node) const noexcept;
    /// Whether one of the sums of the node's domains is above 0.
    KCONTROL_DECL bool any_at(const node_info& node) const noexcept;
    /// The sum of the node's domain of one label; 0 if it has no such label.
    KCONTROL_DECL std::int64_t at(const interned_name& label, const node_info& node) const noexcept;

private:
    struct label_sums {
        round_topology nodes;
        std::vector<std::int64_t> sums;  // by domain

        std::int64_t at(const node_info& node) const noexcept {
            const std::int32_t domain = nodes->domain_of(node);
            return domain == topology::none ? 0 : sums[static_cast<std::size_t>(domain)];
        }
    };
    const snapshot* nodes_ = nullptr;
    std::vector<label_sums> all_;
    bool was_added_to_ = false;
};

}  // namespace detail

/// Refuses nodes whose domains have no pods that the pod's required affinity selects, or have pods that its required
/// anti-affinity selects, or pods whose required anti-affinity selects the pod. Preferred terms, of the pod and of
/// others, make the score.
///
/// Thread-safety: shared objects safe.
class inter_pod_affinity {
public:
    static constexpr std::string_view name = "InterPodAffinity";
    static constexpr bool follows_after_skip = true;  ///< a pod that is added may have terms against the pod

    static KCONTROL_DECL std::vector<event_kind> events();

    /// How many pods the terms select in each domain, and what the preferred ones count.
    class state {
    private:
        friend class inter_pod_affinity;
        KCONTROL_DECL void count_near(const pod_info& pod, const pod_info& other, const node_info& node,
                                      std::int64_t by);
        KCONTROL_DECL void count_apart(const affinity_term& term, const pod_info& other, const node_info& node,
                                       std::int64_t by);
        KCONTROL_DECL void count_against(const pod_info& pod, const pod_info& other, const node_info& node,
                                         std::int64_t by);
        KCONTROL_DECL void count(const pod_info& pod, const pod_info& other, const node_info& node, std::int64_t by);

        const snapshot* nodes_ = nullptr;
        detail::sums_by_label near_;     // pods that all terms of its required affinity select
        detail::sums_by_label apart_;    // pods that a term of its required anti-affinity selects
        detail::sums_by_label against_;  // pods of whose required anti-affinity a term selects the pod
        std::int64_t near_count_ = 0;    // what near_ has for all domains together
        detail::sums_by_label scores_;
    };

    /// By default with kube-scheduler's settings.
    explicit inter_pod_affinity(inter_pod_affinity_options options = {}) : options_(options) {}

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const;
    KCONTROL_DECL status filter(const state& of_pod, const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL void add_pod(state& of_pod, const pod_info& pod, const pod_info& other, const node_info& node) const;
    KCONTROL_DECL void remove_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                  const node_info& node) const;

    KCONTROL_DECL status pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                   std::span<const node_info* const> feasible) const;
    /// The sum of the weights of preferred terms; those of anti-affinity are subtracted.
    KCONTROL_DECL std::int64_t score(const state& of_pod, const pod_info&, const node_info& node) const;
    KCONTROL_DECL void normalize_score(const state&, std::span<std::int64_t> scores) const;

private:
    inter_pod_affinity_options options_;
    interned_name not_near_{"node(s) didn't match pod affinity rules"};
    interned_name not_apart_{"node(s) didn't match pod anti-affinity rules"};
    interned_name against_{"node(s) didn't satisfy existing pods anti-affinity rules"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/inter_pod_affinity.ipp>
#endif
