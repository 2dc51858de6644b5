// A Mustache template: variables, sections, inverted sections and comments.
//
// It is the part of Mustache (mustache.github.io/mustache.5.html) that a list of endpoints needs, by the rules of its
// specification, but for three: nothing is escaped, as configuration files are not HTML; a name that is not known is an
// error; partials, lambdas and other delimiters are refused. docs/dependencies.md says why no library does it.
#pragma once

#include <kcontrol/base/result.hpp>

#include "mustache/names.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace follow::mustache {

class node;

/// A template that was read. Cheap to copy.
///
/// Thread-safety: shared objects safe for const access.
class document {
public:
    /// `file` is what errors call it. Errors: invalid_argument, "FILE:LINE: what is wrong, and the remedy": a tag that
    /// does not end, a section that is not closed or closed by another name, an unknown name, a kind of tag that is
    /// not supported.
    static kcontrol::result<document> parse(std::string_view text, const std::string& file, const names& known);

    /// The text for these values. A name that they lack is empty.
    std::string render(const object& values) const;

private:
    explicit document(std::shared_ptr<const std::vector<node>> nodes) : nodes_(std::move(nodes)) {}

    std::shared_ptr<const std::vector<node>> nodes_;
};

}  // namespace follow::mustache
