// CEL, as far as rules of CustomResourceDefinitions commonly use it: parsed and evaluated over JSON. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What an expression consists of.
class cel_node {
public:
    /// What a node stands for; calls are of functions, methods and macros.
    enum class kind { literal, list, name, member, index, call, negation, minus, conditional, binary };

    kind what = kind::literal;       ///< says which other members count
    std::string text;                ///< the name, function or operator
    json::value literal;             ///< value of a literal, else null
    std::vector<cel_node> children;  ///< of a call of a method the target is first
    bool is_method = false;          ///< of a call: `x.f()`, not `f(x)`
    int depth = 1;                   ///< nodes on the longest way down from here, this one included
};

/// An expression of the Common Expression Language.
///
/// There are: literals of null, booleans, whole numbers, fractions and strings, lists; members, indexes, `in`, `?:`,
/// all operators; has(), all(), exists(), exists_one(), filter() and map(); size(), int(), double(), string(); of texts
/// contains(), startsWith(), endsWith(), matches(), lowerAscii(), upperAscii(), trim(), split(), indexOf(); of lists
/// min(), max(), sum(), isSorted(), indexOf(). There are no times, durations, bytes, unsigned numbers, maps as
/// literals, optionals, quantities, URLs and addresses: an expression that needs one is refused, and the error names
/// it.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cel_expression {
public:
    /// Errors: invalid_argument, naming what is not understood.
    static result<cel_expression> parse(std::string_view text);

    /// Whether it looks at what was before: such a rule holds for new objects.
    bool uses_old_self() const noexcept { return uses_old_self_; }
    /// With `self`, and `old_self` if there is one. Errors: invalid_argument with CEL's own words: "no such key: high".
    result<json::value> evaluate(const json::value& self, const json::value* old_self, text_checks& texts) const;

    /// Names and what they stand for.
    using variables = std::vector<std::pair<std::string, json::value>>;
    /// With variables of other names, as conditions of webhooks have them.
    result<json::value> evaluate(const variables& given, text_checks& texts) const;
    /// The first name that it uses and that is neither `known` nor made by a macro; empty: none.
    std::string undeclared_name(const std::vector<std::string_view>& known) const;

private:
    cel_node root_;
    bool uses_old_self_ = false;
};

}  // namespace kcontrol::testing
