// metav1.Condition, and the two questions one asks of a list of conditions.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// metav1.Condition. (kcontrol::condition is the one for error codes.)
///
/// In a CustomResourceDefinition it has the rules that controller-gen gives it, and a list of them is of list type map
/// by `type`: of two that apply a condition each, with field managers of their own, neither loses the other's. Where
/// all conditions shall have one owner, the list's field says rules().list_type_atomic().
struct status_condition {
    text type;                                        ///< what it is about, such as "Ready"; each once in a list
    text status;                                      ///< "True", "False" or "Unknown"
    std::optional<std::int64_t> observed_generation;  ///< the metadata.generation that it was set for; none: not said
    timestamp last_transition_time;  ///< when `status` last changed, not when the condition was written
    text reason;                     ///< why, for programs: one word such as "MinimumReplicasAvailable"; required
    text message;                    ///< why, for people; may be empty

    /// The names of the members in JSON, with the rules that controller-gen gives them.
    static constexpr auto kcontrol_fields() {
        using self = status_condition;
        return fields(
            field("type", &self::type,
                  rules().required().max_length(316).pattern("^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*"
                                                             "[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?"
                                                             "[A-Za-z0-9])$")),
            field("status", &self::status, rules().required().enum_values("True", "False", "Unknown")),
            field("observedGeneration", &self::observed_generation, rules().minimum(0)),
            field("lastTransitionTime", &self::last_transition_time, rules().required()),
            field(
                "reason", &self::reason,
                rules().required().min_length(1).max_length(1024).pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")),
            field("message", &self::message, rules().required().max_length(32768)));
    }
    /// A list of these is list type map by `type`; see the class.
    static constexpr auto kcontrol_rules() {
        return rules().keyed_by("type").describe(
            "Condition contains details for one aspect of the current state of this API Resource.");
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
