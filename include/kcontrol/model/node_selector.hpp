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

    /// Errors: invalid_argument, naming the path of the wrong expression.
    static KCONTROL_DECL result<node_selector> make(const std::vector<node_selector_term>& terms);

    /// Whether a node of these labels and this name is selected. If the name is empty, match_fields are not asked.
    KCONTROL_DECL bool matches(const std::map<std::string, std::string>& labels, std::string_view node_name) const;

private:
    struct term {
        label_selector labels;
        std::vector<field_requirement> fields;
    };
    std::vector<term> terms_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/node_selector.ipp>
#endif
