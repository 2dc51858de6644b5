// CEL as Kubernetes 1.36 has it in rules of CustomResourceDefinitions: parsed, and evaluated over JSON. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include "testserver/cel_value.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What an expression consists of.
class cel_node {
public:
    /// What a node stands for; calls are of functions, methods and macros.
    enum class kind {
        literal,
        list,
        map,            ///< children: keys and values by turns
        optional_item,  ///< `?x` in a list or, as a key, in a map: left out if it is optional.none()
        name,
        member,
        index,
        call,
        negation,
        minus,
        conditional,
        binary
    };

    kind what = kind::literal;       ///< says which other members count
    std::string text;                ///< the name, function or operator
    cel_value literal;               ///< value of a literal, else null
    std::vector<cel_node> children;  ///< of a call of a method the target is first
    bool is_method = false;          ///< of a call: `x.f()`, not `f(x)`
    bool is_optional = false;        ///< of a member or index: `x.?f`, `x[?i]`
    int depth = 1;                   ///< nodes on the longest way down from here, this one included

    /// How many of the arguments are names of variables: `x` in all(x, x > 0). 0: it is no macro with variables.
    std::size_t macro_variables() const;
};

/// An expression of the Common Expression Language.
///
/// There is the whole language, and the libraries of Kubernetes' environment for rules: strings, regular expressions,
/// lists, sets, comprehensions with two variables, optionals, quantities, addresses and networks, URLs, formats,
/// semantic versions. Not there: messages of Protocol Buffers, the authorizer, names of time zones (offsets are there),
/// and limits of costs. An expression that needs one of those is refused, and the error names it. Types are not
/// checked before the evaluation, but for what undeclared_name() and cel_type_checker find.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cel_expression {
public:
    /// Errors: invalid_argument, naming what is not understood.
    static result<cel_expression> parse(std::string_view text);

    /// Whether it looks at what was before: such a rule holds for new objects.
    bool uses_old_self() const noexcept { return uses_old_self_; }

    /// Names and the values that they stand for.
    using bindings = std::vector<std::pair<std::string, cel_value>>;
    /// Errors: invalid_argument with CEL's own words: "no such key: high".
    cel_result evaluate(bindings given, text_checks& texts) const;

    /// Names and what they stand for, as JSON without a schema.
    using variables = std::vector<std::pair<std::string, json::value>>;
    /// With variables of other names, as conditions of webhooks have them; the value as JSON.
    result<json::value> evaluate(const variables& given, text_checks& texts) const;
    /// With `self`, and `old_self` if there is one.
    result<json::value> evaluate(const json::value& self, const json::value* old_self, text_checks& texts) const;

    /// The first name that it uses and that is neither `known` nor made by a macro; empty: none.
    std::string undeclared_name(const std::vector<std::string_view>& known) const;

    const cel_node& root() const noexcept { return root_; }

private:
    cel_node root_;
    bool uses_old_self_ = false;
};

}  // namespace kcontrol::testing
