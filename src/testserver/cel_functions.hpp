// The functions of CEL: which there are, and what they make of values.
#pragma once

#include <kcontrol/schema/text_checks.hpp>

#include "testserver/cel_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

using cel_arguments = std::vector<cel_value>;

/// Whether there is a function of that name, with so many arguments (of a method: without its target), macros included.
bool knows_cel_function(std::string_view name, bool is_method, std::size_t arguments);
/// Whether there is one with any arguments.
bool knows_cel_function(std::string_view name);
/// Whether a name stands for a type: "int".
bool is_cel_type(std::string_view name);

/// A call of anything but a macro; of a method, the target is the first argument.
/// Errors: invalid_argument, in CEL's own words.
cel_result call_cel(std::string_view name, bool is_method, const cel_arguments& arguments, text_checks& texts);

/// An operator: + - * / %.
cel_result compute_cel(char sign, const cel_value& a, const cel_value& b);

// The parts of call_cel(), by what they are about. Nothing: none of theirs.
using cel_answer = std::optional<cel_result>;
cel_answer convert_cel(std::string_view to, const cel_arguments& arguments);
cel_answer call_cel_of_text(std::string_view name, const cel_arguments& arguments, text_checks& texts);
cel_answer call_cel_of_list(std::string_view name, const cel_arguments& arguments);
cel_answer call_cel_of_sets(std::string_view name, const cel_arguments& arguments);
cel_answer call_cel_of_time(std::string_view name, const cel_arguments& arguments);
cel_answer call_cel_of_kubernetes(std::string_view name, bool is_method, const cel_arguments& arguments,
                                  text_checks& texts);
cel_answer call_cel_of_optional(std::string_view name, const cel_arguments& arguments);

/// `"%d of %s".format([1, "x"])`.
cel_result format_cel_text(const std::string& pattern, const cel_list& arguments);
/// Sorts a list by keys, one for each item.
cel_result sort_cel_list(const std::vector<cel_value>& items, const std::vector<cel_value>& keys);
/// Characters of UTF-8.
std::vector<std::string> cel_characters(std::string_view text);

}  // namespace kcontrol::testing::detail
