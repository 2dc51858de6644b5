// What a pod requires of its node by labels: nodeSelector, and the required terms of its node affinity.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/node_selector.hpp>

#include <optional>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Which nodes a pod may run on, as the scheduler and kubelets read its spec. A node fulfils it if it has all labels of
/// `nodeSelector` and fulfils the required node affinity. Without either, every node does. A required node affinity
/// that has no terms is fulfilled by no node. Preferred terms, taints and resources are not considered.
/// Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity (GetRequiredNodeAffinity), version 0.36.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class required_node_affinity {
public:
    /// Every node fulfils it.
    required_node_affinity() = default;

    /// From the spec of a pod, or of a pod template: api::core::v1::pod_spec, or a struct with its members
    /// `node_selector` and `affinity`. What is wrong with a term is an error of matches(), as in Go.
    template <class PodSpec>
    static required_node_affinity of(const PodSpec& spec);

    /// From the parts: `terms` absent means no required affinity.
    KCONTROL_DECL required_node_affinity(const std::map<std::string, std::string>& node_labels,
                                         const std::optional<std::vector<node_selector_term>>& terms);

    /// Whether the node that this is the metadata of fulfils it. Errors: invalid_argument, naming the path of the first
    /// wrong expression, where no correct term is fulfilled; API servers store some wrong ones, such as a Gt that is no
    /// integer. A node that lacks a label of `nodeSelector` is no error.
    KCONTROL_DECL result<bool> matches(const object_meta& node) const;
    /// The same for a node of these labels and this name.
    KCONTROL_DECL result<bool> matches(const std::map<std::string, std::string>& labels,
                                       std::string_view node_name) const;

private:
    label_selector labels_;
    bool has_terms_ = false;
    std::vector<result<node_selector>> terms_;
};

template <class PodSpec>
required_node_affinity required_node_affinity::of(const PodSpec& spec) {
    constexpr bool is_pod_spec = requires {
        spec.node_selector;
        spec.affinity;
    };
    static_assert(
        is_pod_spec,
        "kcontrol: required_node_affinity::of takes the spec of a pod: a struct with members node_selector and "
        "affinity, such as pod.spec or deployment.spec.template_.spec");
    std::optional<std::vector<node_selector_term>> terms;
    if constexpr (is_pod_spec) {
        if (const auto* const affinity = detail::present_part(spec.affinity)) {
            if (const auto* const of_nodes = detail::present_part(affinity->node_affinity)) {
                const auto& required = of_nodes->required_during_scheduling_ignored_during_execution;
                if (const auto* const present = detail::present_part(required)) {
                    terms = detail::copy_node_terms(*present);
                }
            }
        }
        return required_node_affinity(detail::copy_labels(spec.node_selector), terms);
    } else {
        return required_node_affinity();
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/required_node_affinity.ipp>
#endif
