// What becomes of the problems that a structural schema has with an object.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// The place that a problem names ("spec.ports[1].name"), or null.
inline const json::value* value_of_problem(const json::value& whole, std::string_view field) {
    const json::value* at = &whole;
    if (field.starts_with('.')) field.remove_prefix(1);
    while (!field.empty() && at != nullptr) {
        if (field.front() == '[') {
            const std::size_t end = field.find(']');
            std::size_t index = 0;
            std::from_chars(field.data() + 1, field.data() + end, index);
            field.remove_prefix(std::min(end + 1, field.size()));
            at = at->is_array() && index < at->get_array().size() ? &at->get_array()[index] : nullptr;
        } else {
            if (field.front() == '.') field.remove_prefix(1);
            const std::string_view name = field.substr(0, field.find_first_of(".["));
            field.remove_prefix(name.size());
            at = at->is_object() ? at->get_object().if_contains(name) : nullptr;
        }
    }
    return at;
}

// Ratcheting: what has not changed is not held against an update.
inline void forgive_unchanged(std::vector<field_problem>& problems, const json::value& now, const json::value& before) {
    std::erase_if(problems, [&](const field_problem& problem) {
        if (problem.field == "<nil>" || problem.cause == "FieldValueRequired") return false;
        const json::value* is = value_of_problem(now, problem.field);
        const json::value* was = value_of_problem(before, problem.field);
        return is != nullptr && was != nullptr && json::equal(*is, *was);
    });
}

// Whether rules are not looked at because of these.
inline bool hides_rules(const std::vector<field_problem>& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const field_problem& one) {
        return one.cause == "FieldValueNotSupported" || one.cause == "FieldValueRequired" ||
               one.cause == "FieldValueTooLong" || one.cause == "FieldValueTooMany" ||
               one.cause == "FieldValueTypeInvalid";
    });
}

}  // namespace kcontrol::testing::detail
