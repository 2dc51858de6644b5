// Node selectors of node affinity: which nodes a pod, a volume or a device may be used on.
#pragma once

#include <kcontrol/model/field_selector.hpp>
#include <kcontrol/model/label_selector.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// v1.NodeSelectorTerm, as objects have it.
struct node_selector_term {
    std::vector<label_expression> match_expressions;  ///< on the node's labels; all operators
    std::vector<label_expression> match_fields;       ///< on metadata.name; In and NotIn with one value
};

/// v1.NodeSelector, checked and ready to match: a node fulfils it if it fulfils one of the terms, and a term if it
/// fulfils all of its expressions. An empty term, and a selector without terms, select no node.
/// Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity, compared with version 0.36.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class node_selector {
public:
    /// A selector that selects no node.
    node_selector() = default;

    /// Errors: invalid_argument, naming the path of the wrong expression and what it may be.
    static KCONTROL_DECL result<node_selector> make(const std::vector<node_selector_term>& terms);

    /// From a core/v1 NodeSelector of an object, or a single NodeSelectorTerm. An absent one (an empty boxed or
    /// optional, a null pointer) selects no node, nor does one without terms. `Spec` is api::core::v1::node_selector or
    /// node_selector_term, any struct with the same members, or a boxed, optional or pointer of such. Errors: as
    /// make(). What a pod may run on: required_node_affinity.hpp.
    template <class Spec>
    static result<node_selector> of(const Spec& spec);

    /// Whether a node of these labels and this name is selected. If the name is empty, match_fields are not asked.
    KCONTROL_DECL bool matches(const std::map<std::string, std::string>& labels, std::string_view node_name) const;
    /// Whether it selects the node that this is the metadata of.
    KCONTROL_DECL bool selects(const object_meta& node) const;

private:
    friend class required_node_affinity;
    static KCONTROL_DECL result<node_selector> make_term(const node_selector_term& from, const std::string& path);
    struct term {
        label_selector labels;
        std::vector<field_requirement> fields;
    };
    std::vector<term> terms_;
};

namespace detail {

// The terms of a NodeSelector, or the one term that `from` is.
template <class From>
std::vector<node_selector_term> copy_node_terms(const From& from) {
    std::vector<node_selector_term> out;
    if constexpr (has_node_selector_parts<From>) {
        for (const auto& one : from.node_selector_terms) {
            out.push_back({copy_expressions<label_expression>(one.match_expressions),
                           copy_expressions<label_expression>(one.match_fields)});
        }
    } else {
        out.push_back({copy_expressions<label_expression>(from.match_expressions),
                       copy_expressions<label_expression>(from.match_fields)});
    }
    return out;
}

}  // namespace detail

template <class Spec>
result<node_selector> node_selector::of(const Spec& spec) {
    using part = detail::part_type<Spec>;
    constexpr bool is_node_selector = detail::has_node_selector_parts<part> || detail::has_node_term_parts<part>;
    static_assert(is_node_selector,
                  "kcontrol: node_selector::of takes a NodeSelector (a struct with a member node_selector_terms) or a "
                  "NodeSelectorTerm (match_expressions and match_fields), or a boxed or optional one; a pod's spec is "
                  "for required_node_affinity::of");
    if constexpr (is_node_selector) {
        const auto* const present = detail::present_part(spec);
        if (present == nullptr) return node_selector();
        return make(detail::copy_node_terms(*present));
    } else {
        return node_selector();
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/node_selector.ipp>
#endif
