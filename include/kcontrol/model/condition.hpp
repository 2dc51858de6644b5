// metav1.Condition, and the two questions one asks of a list of conditions.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kcontrol {

/// metav1.Condition. (kcontrol::condition is the one for error codes.)
struct status_condition {
    text type;
    text status;  ///< "True", "False" or "Unknown"
    std::optional<std::int64_t> observed_generation;
    timestamp last_transition_time;
    text reason;
    text message;

    static constexpr auto kcontrol_fields() {
        return fields(field("type", &status_condition::type), field("status", &status_condition::status),
                      field("observedGeneration", &status_condition::observed_generation),
                      field("lastTransitionTime", &status_condition::last_transition_time),
                      field("reason", &status_condition::reason), field("message", &status_condition::message));
    }

    friend bool operator==(const status_condition&, const status_condition&) = default;
};

/// The condition of that type, or null. For lists of status_condition and of any struct with members `type` and
/// `status`.
template <class Conditions>
const typename Conditions::value_type* find_condition(const Conditions& conditions, std::string_view type) {
    for (const auto& condition : conditions) {
        if (condition.type == type) return &condition;
    }
    return nullptr;
}

/// Whether there is a condition of that type and its status is "True". The order of the list means nothing.
template <class Conditions>
bool is_true(const Conditions& conditions, std::string_view type) {
    const auto* found = find_condition(conditions, type);
    return found != nullptr && found->status == "True";
}

}  // namespace kcontrol
