// What can be said of a rule's types before it is evaluated. Pure.
#pragma once

#include "testserver/cel.hpp"

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// What a server has against a rule of a schema: names and members that are not there, operators and functions that
/// are not for these types, patterns and times that can't be read. Empty: nothing is known to be wrong; what depends
/// on values is seen at the evaluation.
///
/// `self` is the schema that has the rule; `wanted` the type of the expression: "bool" of a rule.
std::string cel_type_problem(const cel_expression& rule, cel_shape self, bool optional_old_self,
                             std::string_view wanted);

}  // namespace kcontrol::testing::detail
