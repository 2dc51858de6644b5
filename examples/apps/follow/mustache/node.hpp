// The parts of a template.
#pragma once

#include <string>
#include <vector>

namespace follow::mustache {

enum class node_kind { text, variable, section, inverted };

/// A stretch of text, a variable, or a section with what is in it.
class node {
public:
    node(node_kind k, std::string t) : kind(k), text(std::move(t)) {}

    node_kind kind;
    std::string text;         ///< the text itself, or the name
    std::vector<node> inner;  ///< of a section
};

}  // namespace follow::mustache
