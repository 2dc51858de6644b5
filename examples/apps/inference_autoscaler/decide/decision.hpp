// The decision of an autoscaler, a pure function: from values with times, replicas and the clock to replicas.
// docs/inference_autoscaler.md has its table.
#pragma once

#include "api/inference_scaler.hpp"
#include "readings/reading.hpp"

#include <string>
#include <vector>

namespace inference_autoscaler {

/// What there is at a look.
struct facts {
    time_point now{};
    std::int32_t replicas = 0;  ///< of the target's /scale
    std::int32_t warm = 0;      ///< pods that have traffic
    std::int32_t failed = 0;    ///< pods that ended, that restart again and again, or whose time for loading is over
    std::int32_t unplaced = 0;  ///< pods that no node takes
    std::int32_t overdue = 0;   ///< of these, those for giveBackSeconds
    std::string words;          ///< the scheduler's, of one that no node takes
    bool woken = false;         ///< somebody asked for a replica since the last look
    look values;

    std::int32_t loading() const { return std::max(0, replicas - warm - failed); }
};

/// What a decision remembers of a rule.
struct rule_memory {
    std::optional<time_point> since;  ///< it began to hold, or decided last
    std::optional<double> at_up;      ///< its value when it asked for more last
    std::int32_t up_from = 0;         ///< the replicas of that time; while there are no more, nothing was tried
    std::int32_t ups_in_vain = 0;     ///< its own, after which the value did not fall
    bool ineffective = false;         ///< it decides nothing until it was below its threshold once
    std::optional<double> worst;      ///< its value nearest to the threshold since all rules are low
    std::optional<double> at_down;    ///< `worst` at the last down
    std::optional<double> refused;    ///< at a down that an up undid
};

/// What one decision leaves to the next.
struct memory {
    std::optional<std::int32_t> replicas;  ///< as they were last seen or asked for; another number is another's
    bool own_zero = false;                 ///< none, by a decision
    std::optional<time_point> changed, lowered, idle_since, low_since;
    std::int32_t lowered_from = 0, lowered_to = 0;
    std::optional<std::int32_t> refused_replicas;  ///< to so few a down was made that an up undid
    std::optional<std::int32_t> ceiling;           ///< more found no node
    time_point ceiling_until{};
    std::int32_t ceiling_minutes = 0;
    std::vector<rule_memory> rules;
};

enum class verdict { steady, loads, limited, off, up, down, zero, wake, bounds, give_back, on_missing };
/// "up", "giveBack": the label `action`, and lastScale.rule where no rule decided.
std::string_view to_string(verdict v) noexcept;

/// A rule without a value.
struct lost_value {
    std::string rule;
    missing_reading why;
};

struct decision {
    verdict kind = verdict::steady;
    std::int32_t wanted = 0;
    std::string rule;  ///< that decided; empty: none
    std::optional<double> value, threshold;
    std::string sentence;          ///< why, for people
    std::string limit;             ///< the reason of the condition Limited: AtMaximum, NoNode; empty: it is not
    bool foreign = false;          ///< another changed the replicas since the last look
    std::vector<lost_value> lost;  ///< what is missing
    memory next;                   ///< if what is wanted was written
};

/// The value of a rule: NaN of its query is 0 where idleQuery gives 0.
std::optional<double> value_of(const rule_reading& read);
/// Whether a value is beyond the threshold.
bool holds(const scaling_rule& rule, double value);

/// `rules` is rules_of(spec), to which `now.values.rules` belongs one by one.
decision decide(const inference_scaler_spec& spec, const std::vector<scaling_rule>& rules, const memory& before,
                const facts& now);

}  // namespace inference_autoscaler
