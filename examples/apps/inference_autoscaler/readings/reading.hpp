// What one look at a scaler's metrics gave: values with the times at which they were read, or why there is none.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace inference_autoscaler {

/// Why there is no value. A missing value is never zero.
enum class missing_reason {
    no_answer,     ///< no connection, a deadline, or an answer that is none
    empty,         ///< the query selects nothing
    not_a_number,  ///< NaN, or an infinity
    many_series,   ///< more than one series, or no number at all
    too_large,     ///< more than 1 MiB
    refused,       ///< the server's own error, or a status that is none of success
    never_seen,    ///< empty, and the query never gave a value before
};

/// The reason of the condition MetricsKnown. Empty is the most that a pod's metrics say as well.
constexpr std::string_view to_string(missing_reason reason) noexcept {
    switch (reason) {
    case missing_reason::no_answer: return "NoAnswer";
    case missing_reason::empty: return "Empty";
    case missing_reason::not_a_number: return "NotANumber";
    case missing_reason::many_series: return "ManySeries";
    case missing_reason::too_large: return "TooLarge";
    case missing_reason::refused: return "Refused";
    case missing_reason::never_seen: return "MetricNeverSeen";
    }
    return "NoAnswer";
}

/// A value that is missing.
struct missing_reading {
    missing_reason reason = missing_reason::no_answer;
    std::string words;  ///< the server's words, or names that are near; for people

    friend bool operator==(const missing_reading&, const missing_reading&) = default;
};

/// One value, and when it was read.
struct reading {
    kcontrol::time_point at{};
    std::variant<double, missing_reading> value = missing_reading{};

    const double* known() const noexcept { return std::get_if<double>(&value); }
    const missing_reading* missing() const noexcept { return std::get_if<missing_reading>(&value); }

    friend bool operator==(const reading&, const reading&) = default;
};

inline reading missing_at(kcontrol::time_point at, missing_reason reason, std::string words = {}) {
    return reading{at, missing_reading{reason, std::move(words)}};
}

/// The readings of one rule.
struct rule_reading {
    reading value;
    std::optional<reading> idle;  ///< of idleQuery, where the rule has one and `value` is NaN
};

/// What one look gave. `rules` has the order of spec.rules.
struct look {
    kcontrol::time_point at{};
    std::vector<rule_reading> rules;
    std::optional<reading> wake;              ///< of zero.wake, or with pods the sum of inFlight
    std::map<std::string, double> in_flight;  ///< requests by pod; a pod that did not answer is not in it
    std::vector<std::string> silent;          ///< pods that gave no answer: values may be too low, so nothing goes down
};

}  // namespace inference_autoscaler
