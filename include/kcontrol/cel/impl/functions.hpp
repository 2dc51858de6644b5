// The functions of CEL: which there are, and what they make of values.
#pragma once

#include <kcontrol/cel/impl/evaluation_error.hpp>
#include <kcontrol/cel/value.hpp>
#include <kcontrol/schema/text_checks.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::cel::detail {

using function_arguments = std::vector<value>;

/// Whether there is a function of that name, with so many arguments (of a method: without its target), macros included.
KCONTROL_DECL bool knows_function(std::string_view name, bool is_method, std::size_t arguments);
/// Whether there is one with any arguments.
KCONTROL_DECL bool knows_function(std::string_view name);
/// Whether a name stands for a type: "int".
KCONTROL_DECL bool is_type_name(std::string_view name);

/// A call of anything but a macro; of a method, the target is the first argument.
/// Errors: invalid_argument, in CEL's own words.
KCONTROL_DECL value_result call_function(std::string_view name, bool is_method, const function_arguments& arguments,
                                         text_checks& texts);

/// An operator: + - * / %.
KCONTROL_DECL value_result compute(char sign, const value& a, const value& b);

// The parts of call_function(), by what they are about. Nothing: none of theirs.
using function_answer = std::optional<value_result>;
KCONTROL_DECL function_answer convert_value(std::string_view to, const function_arguments& arguments);
KCONTROL_DECL function_answer call_text_function(std::string_view name, const function_arguments& arguments,
                                                 text_checks& texts);
KCONTROL_DECL function_answer call_list_function(std::string_view name, const function_arguments& arguments);
KCONTROL_DECL function_answer call_set_function(std::string_view name, const function_arguments& arguments);
KCONTROL_DECL function_answer call_time_function(std::string_view name, const function_arguments& arguments);
KCONTROL_DECL function_answer call_kubernetes_function(std::string_view name, bool is_method,
                                                       const function_arguments& arguments, text_checks& texts);
KCONTROL_DECL function_answer call_optional_function(std::string_view name, const function_arguments& arguments);

/// `"%d of %s".format([1, "x"])`.
KCONTROL_DECL value_result format_text(const std::string& pattern, const list_value& arguments);
/// Sorts a list by keys, one for each item.
KCONTROL_DECL value_result sort_list(const std::vector<value>& items, const std::vector<value>& keys);
/// Characters of UTF-8.
KCONTROL_DECL std::vector<std::string> characters_of(std::string_view text);

}  // namespace kcontrol::cel::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/functions.ipp>
#include <kcontrol/cel/impl/functions_convert.ipp>
#include <kcontrol/cel/impl/functions_format.ipp>
#include <kcontrol/cel/impl/functions_kubernetes.ipp>
#include <kcontrol/cel/impl/functions_list.ipp>
#include <kcontrol/cel/impl/functions_optional.ipp>
#include <kcontrol/cel/impl/functions_table.ipp>
#include <kcontrol/cel/impl/functions_text.ipp>
#endif
