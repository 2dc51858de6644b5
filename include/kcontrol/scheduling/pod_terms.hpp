// The parts of a pod's spec that are parsed once: affinity and topology spread constraints.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/model/required_node_affinity.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/values/dict.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A PodAffinityTerm, of affinity or of anti-affinity.
struct affinity_term {
    interned_name topology_key;           ///< pods are near each other if their nodes have the same value of this label
    label_selector selector;              ///< the pods that are meant
    std::vector<std::string> namespaces;  ///< their namespaces, sorted; the pod's own if the term names none
    label_selector namespace_selector;    ///< further namespaces, by their labels; without one it selects none

    /// Whether the term means `pod`. `namespace_labels` are those of the pod's namespace; null: it has none.
    KCONTROL_DECL bool matches(const object_meta& pod, const dict<text>* namespace_labels) const;
};

/// A preferred term of pod affinity or anti-affinity.
struct weighted_affinity_term {
    affinity_term term;       ///< what is preferred
    std::int32_t weight = 0;  ///< 1 to 100
};

/// A preferred term of node affinity.
struct preferred_node_term {
    node_selector preference;  ///< which nodes are preferred
    std::int32_t weight = 0;   ///< 1 to 100
};

/// A TopologySpreadConstraint.
struct spread_constraint {
    interned_name topology_key;    ///< nodes with the same value of this label are one domain
    label_selector selector;       ///< the pods that are counted, in the pod's own namespace
    std::int32_t max_skew = 1;     ///< how many pods more than the emptiest domain a domain may have
    std::int32_t min_domains = 1;  ///< with fewer domains the emptiest one counts as having no pod
    bool is_required = true;       ///< whenUnsatisfiable: DoNotSchedule; else ScheduleAnyway
    bool honors_affinity = true;   ///< nodeAffinityPolicy: only nodes that the pod's node affinity selects count
    bool honors_taints = false;    ///< nodeTaintsPolicy: only nodes whose taints the pod tolerates count
};

/// All of them. A pod without any has an empty one.
struct pod_terms {
    required_node_affinity node_affinity;                         ///< nodeSelector and the required terms
    std::vector<preferred_node_term> preferred_nodes;             ///< preferred terms of the node affinity
    std::vector<affinity_term> affinity;                          ///< required terms of podAffinity
    std::vector<affinity_term> anti_affinity;                     ///< required terms of podAntiAffinity
    std::vector<weighted_affinity_term> preferred_affinity;       ///< preferred terms of podAffinity
    std::vector<weighted_affinity_term> preferred_anti_affinity;  ///< preferred terms of podAntiAffinity
    std::vector<spread_constraint> spread;                        ///< topologySpreadConstraints
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/pod_terms.ipp>
#endif
