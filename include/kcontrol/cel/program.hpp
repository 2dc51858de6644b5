// cel::program: an expression of the Common Expression Language that was parsed, and its evaluation. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/cel/value.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::cel {

namespace detail {
struct parsed_expression;
}

/// How an expression is evaluated.
class evaluation_options {
public:
    /// What an evaluation may cost. Default 1,000,000, as for each expression in Kubernetes, about 0.1 s there.
    evaluation_options& cost_limit(std::uint64_t limit) { return cost_limit_ = limit, *this; }
    /// Keeps the patterns of `matches()` compiled between evaluations. It must outlive the evaluation.
    evaluation_options& patterns(text_checks& kept) { return patterns_ = &kept, *this; }

    std::uint64_t cost_limit() const noexcept { return cost_limit_; }
    text_checks* patterns() const noexcept { return patterns_; }

private:
    std::uint64_t cost_limit_ = 1'000'000;
    text_checks* patterns_ = nullptr;
};

/// A parsed expression. Copies share it.
///
/// There is the whole language, and the libraries of Kubernetes' environments: strings, regular expressions, lists,
/// sets, comprehensions with two variables, `cel.bind`, optionals, quantities, addresses and networks, URLs, formats,
/// semantic versions. Not there: messages of Protocol Buffers, the authorizer, names of time zones (offsets are there).
/// An expression that needs one of those is refused.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class program {
public:
    /// Names and the values that they stand for.
    using variables = std::vector<std::pair<std::string, value>>;

    /// Parses without knowledge of variables; environment::compile() also checks names and types.
    /// Errors: invalid_argument, with line, column and what is not understood: "1:3: kcontrol's CEL does not know '&'".
    KCONTROL_DECL static result<program> parse(std::string_view text);

    /// The value of the expression.
    /// Errors: invalid_argument with CEL's own words: "no such key: high", "no such overload: _<_(string, int)",
    /// "actual cost limit exceeded".
    KCONTROL_DECL result<value> evaluate(const variables& given,
                                         const evaluation_options& how = evaluation_options()) const;

    /// Whether it uses a name.
    KCONTROL_DECL bool uses(std::string_view name) const;
    KCONTROL_DECL const std::string& text() const noexcept;  ///< as it was written

    const detail::parsed_expression& parsed() const noexcept { return *parsed_; }  ///< for the room itself

private:
    program() = default;

    std::shared_ptr<const detail::parsed_expression> parsed_;
};

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/program_evaluate.ipp>
#include <kcontrol/cel/impl/program_parse.ipp>
#endif
