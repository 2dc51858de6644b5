// x-kubernetes-validations: the rules in a structural schema, checked at creation and held against objects. Pure.
#pragma once

#include <kcontrol/cel/program.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>
#include <kcontrol/testing/failure.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Whether a schema has a rule anywhere.
bool has_rules(const json::value& schema);

/// An expression of a rule that this server can't parse, though a real one may.
class unread_rule {
public:
    std::string path;     ///< of the expression in its schema: "….x-kubernetes-validations[0].rule"
    std::string text;     ///< the expression
    std::string problem;  ///< what this server does not know
};

/// What is wrong with rules, as problems of the fields under `path` ("spec.versions[0].schema.openAPIV3Schema").
/// What this server can't parse is a problem, too, unless there is `unread`, which gets it then.
void find_unknown_rules(const json::value& schema, const std::string& path, std::vector<field_problem>& problems,
                        std::vector<unread_rule>* unread = nullptr);

/// The expressions of a schema's rules, each parsed at its first use.
class parsed_rules {
public:
    /// Null: it can't be parsed. The pointer is valid as long as this object.
    const cel::program* find(std::string_view text);
    std::size_t size() const noexcept { return expressions_.size(); }

private:
    std::map<std::string, std::optional<cel::program>, std::less<>> expressions_;
};

/// What rules are held with: patterns and expressions that are compiled once.
class rule_context {
public:
    text_checks& texts;   ///< patterns; they outlive the context
    parsed_rules& rules;  ///< expressions; they outlive the context
};

/// Adds the problems of an object that keeps not to the rules. `before`: what it was, or null.
void check_rules(const json::value& schema, const json::value& now, const json::value* before, const std::string& path,
                 const rule_context& context, std::vector<field_problem>& problems);

}  // namespace kcontrol::testing::detail
