#include "decide/decision.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace inference_autoscaler {
namespace {

constexpr double fallen = 0.9;  // of the value at a down that was undone: so far it must fall before the next one
constexpr double steeper = 3;   // a down lifts a value by so many times as much as the down before it did
constexpr std::int32_t first_ceiling = 10, longest_ceiling = 60;  // minutes

std::string number(double value) {
    std::array<char, 32> out;
    std::snprintf(out.data(), out.size(), "%.4g", value);
    return out.data();
}
std::string count(std::int32_t n) { return std::to_string(n) + (n == 1 ? " replica" : " replicas"); }
bool is_upper(const scaling_rule& rule) { return rule.op.view().front() == '>'; }

// Whether it is far on the quiet side of the threshold; for "<" that is above it.
bool is_low(const scaling_rule& rule, double value, std::int32_t percent) {
    const double part = percent / 100.0;
    return is_upper(rule) ? value < rule.threshold * part : value > rule.threshold / part;
}

bool is_worse(const scaling_rule& rule, double a, double b) { return is_upper(rule) ? a > b : a < b; }

std::int32_t at_most(double wanted) { return static_cast<std::int32_t>(std::min(std::ceil(wanted - 1e-9), 1e6)); }

class one_decision {
public:
    one_decision(const inference_scaler_spec& spec, const std::vector<scaling_rule>& rules, const memory& before,
                 const facts& now)
        : spec_(spec), rules_(rules), now_(now) {
        out_.next = before;
        out_.next.rules.resize(rules.size());
        out_.wanted = now.replicas;
    }

    decision run() {
        note_change();
        if (now_.replicas == 0 && spec_.min_replicas > 0 && !next().own_zero)
            return say(verdict::off, 0, "another set 0 replicas, which turns the scaler off"), std::move(out_);
        note_values();
        if (!bound() && !wake() && now_.replicas > 0 && !give_back() && !up() && !zero()) down();
        if (out_.wanted != now_.replicas) changed();
        if (out_.sentence.empty()) out_.sentence = quiet();
        return std::move(out_);
    }

private:
    memory& next() { return out_.next; }
    bool is_past(const std::optional<time_point>& since, std::int32_t seconds) const {
        return !since || now_.now - *since >= std::chrono::seconds(seconds);
    }
    bool say(verdict kind, std::int32_t wanted, std::string sentence) {
        out_.kind = kind;
        out_.wanted = wanted;
        out_.sentence = std::move(sentence);
        return true;
    }

    void note_change() {
        if (next().replicas && *next().replicas != now_.replicas) {
            out_.foreign = true;
            next().own_zero = false;
            next().changed = now_.now;
            next().low_since.reset();
        }
        next().replicas = now_.replicas;
        if (now_.replicas > 0) next().own_zero = false;
        if (next().ceiling && now_.replicas > *next().ceiling && now_.loading() == 0) {
            next().ceiling.reset();  // it found nodes
            next().ceiling_minutes = 0;
        }
    }

    void note_values() {
        bool low = false, can_fall = now_.values.silent.empty();
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const scaling_rule& rule = rules_[i];
            rule_memory& kept = next().rules[i];
            const auto value = i < now_.values.rules.size() ? value_of(now_.values.rules[i]) : std::nullopt;
            values_.push_back(value);
            if (!value) {
                if (now_.warm > 0)
                    note_lost(rule.name, i < now_.values.rules.size() ? &now_.values.rules[i].value : nullptr);
                can_fall = can_fall && !rule.down;
                continue;
            }
            if (!holds(rule, *value)) {
                kept.since.reset();
                kept.at_up.reset();
                kept.ups_in_vain = 0;
                kept.ineffective = false;
            } else if (!kept.since) {
                kept.since = now_.now;
            }
            if (!rule.down) continue;
            low = true;
            can_fall = can_fall && is_low(rule, *value, spec_.down.below_percent);
        }
        if (!low || !can_fall) next().low_since.reset();
        if (low && can_fall) note_low();
        const double* load = now_.values.wake ? now_.values.wake->known() : nullptr;
        if (spec_.zero && load == nullptr && (spec_.zero->wake || (spec_.down.in_flight && now_.warm > 0)))
            note_lost("wake", now_.values.wake ? &*now_.values.wake : nullptr);
        const double above = spec_.zero && spec_.zero->wake ? spec_.zero->wake->above : 0;
        wanted_ = now_.woken || (load != nullptr && *load > above);
        if (load == nullptr || wanted_) next().idle_since.reset();
        if (load != nullptr && !wanted_ && !next().idle_since) next().idle_since = now_.now;
    }

    // How near to their thresholds the values come while all are low.
    void note_low() {
        const bool begins = !next().low_since;
        if (begins) next().low_since = now_.now;
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            auto& worst = next().rules[i].worst;
            if (begins) worst.reset();
            if (values_[i] && (!worst || is_worse(rules_[i], *values_[i], *worst))) worst = values_[i];
        }
    }

    // Of pods that load nothing is expected.
    void note_lost(std::string_view rule, const reading* read) {
        const missing_reading* why = read != nullptr ? read->missing() : nullptr;
        out_.lost.push_back({std::string(rule), why != nullptr ? *why : missing_reading{}});
    }

    bool bound() {
        if (now_.replicas > spec_.max_replicas)
            return say(verdict::bounds, spec_.max_replicas, "maxReplicas is " + count(spec_.max_replicas));
        if (now_.replicas < spec_.min_replicas)
            return say(verdict::bounds, spec_.min_replicas, "minReplicas is " + count(spec_.min_replicas));
        return false;
    }

    bool wake() {
        if (now_.replicas > 0 || !wanted_) return false;
        return say(verdict::wake, 1, now_.woken ? "a request for a replica" : "the wake query is above its bound");
    }

    bool give_back() {
        if (now_.unplaced > 0) out_.limit = "NoNode";
        const auto left = std::max({now_.replicas - now_.overdue, spec_.min_replicas, 1});
        if (!spec_.capacity || now_.overdue == 0 || left >= now_.replicas) return false;
        if (!is_past(next().lowered, spec_.down.settle_seconds)) return false;
        next().ceiling = left;
        next().ceiling_minutes = std::clamp(next().ceiling_minutes * 2, first_ceiling, longest_ceiling);
        next().ceiling_until = now_.now + std::chrono::minutes(next().ceiling_minutes);
        return say(verdict::give_back, left,
                   count(now_.replicas - left) + " found no node for " +
                       std::to_string(spec_.capacity->give_back_seconds) + " s: asked for again in " +
                       std::to_string(next().ceiling_minutes) + " min: " + now_.words);
    }

    // Whether a rule decides, whatever comes of it: then none goes.
    bool up() {
        const bool all_lost =
            now_.warm > 0 && std::ranges::none_of(values_, [](const auto& v) { return v.has_value(); });
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if (values_[i] && holds(rules_[i], *values_[i]) && is_due(i)) return decide_up(i);
        }
        if (!all_lost || spec_.on_missing.mode == "Hold") return false;
        const auto asked = spec_.on_missing.mode == "Max" ? spec_.max_replicas : spec_.on_missing.replicas.value_or(0);
        if (asked <= now_.replicas) return true;
        return add(verdict::on_missing, asked, "no rule has a value, and onMissing is " + spec_.on_missing.mode.str());
    }

    bool is_due(std::size_t i) {
        const rule_memory& kept = next().rules[i];
        return !kept.ineffective && is_past(kept.since, rules_[i].for_seconds);
    }

    bool decide_up(std::size_t i) {
        const scaling_rule& rule = rules_[i];
        rule_memory& kept = next().rules[i];
        const double value = *values_[i];
        out_.rule = rule.name;
        out_.value = value;
        out_.threshold = rule.threshold;
        const std::string why = rule.name + " is " + number(value) + ", " + rule.op.str() + " " +
                                number(rule.threshold) +
                                (rule.for_seconds > 0 ? " for " + std::to_string(rule.for_seconds) + " s" : "");
        double asked = now_.replicas + rule.action.add_replicas.value_or(0);
        if (rule.action.add_percent) asked += std::ceil(now_.replicas * *rule.action.add_percent / 100.0);
        if (rule.action.proportional.value_or(false)) asked = now_.warm * value / rule.threshold;
        if (!add(verdict::up, at_most(asked), why)) return true;
        const bool fell = kept.at_up && (is_upper(rule) ? value < *kept.at_up : value > *kept.at_up);
        if (!kept.at_up || fell) kept.ups_in_vain = 0;
        // The write of the last decision may have failed.
        if (kept.at_up && !fell && now_.replicas > kept.up_from) ++kept.ups_in_vain;
        held_since_ = std::exchange(kept.since, now_.now);
        if (kept.ups_in_vain < 2) {
            kept.at_up = value;
            kept.up_from = now_.replicas;
            return true;
        }
        kept.ineffective = true;
        return say(verdict::limited, now_.replicas,
                   why +
                       "; it did not fall after two scale-ups: it decides no more "
                       "until it is below its threshold");
    }

    // Within the limits of a look. Whether there is more to ask for.
    bool add(verdict kind, std::int32_t asked, const std::string& why) {
        const std::int32_t have = now_.replicas;
        const auto step = std::max(spec_.up.max_step, at_most(have * (spec_.up.max_percent / 100.0)));
        std::int32_t wanted = std::min({asked, have + step, spec_.max_replicas});
        if (next().ceiling && now_.now < next().ceiling_until && wanted > *next().ceiling) {
            wanted = std::max(*next().ceiling, std::min(have, wanted));
            out_.limit = "NoNode";
        }
        if (now_.loading() > 0) return say(verdict::loads, have, why + "; " + count(now_.loading()) + " load"), false;
        if (asked <= have) return say(verdict::steady, have, why + "; so many are there"), false;
        if (wanted < asked && wanted == spec_.max_replicas) out_.limit = "AtMaximum";
        if (wanted <= have) return say(verdict::limited, have, why + "; more can't be had"), false;
        if (!is_past(next().changed, spec_.up.settle_seconds))
            return say(verdict::steady, have, why + "; the last change settles"), false;
        return say(kind, wanted, why + ": " + count(wanted) + " instead of " + std::to_string(have));
    }

    bool zero() {
        if (!spec_.zero || spec_.min_replicas > 0 || !next().idle_since) return false;
        if (!is_past(next().idle_since, spec_.zero->after_seconds)) return false;
        if (!is_past(next().lowered, spec_.down.settle_seconds)) return false;
        return say(verdict::zero, 0, "no load for " + std::to_string(spec_.zero->after_seconds) + " s");
    }

    void down() {
        const down_policy& policy = spec_.down;
        if (!next().low_since || !is_past(next().low_since, policy.for_seconds)) return;
        if (!is_past(next().changed, policy.settle_seconds)) return;
        const std::int32_t least = std::max(spec_.min_replicas, 1);
        for (std::int32_t to = std::max(least, now_.replicas - policy.max_step); to < now_.replicas; ++to) {
            if (!stay_below(to) || rises_beyond(to) || is_refused(to)) continue;
            say(verdict::down, to,
                "each rule is below " + std::to_string(policy.below_percent) + " % of its threshold for " +
                    std::to_string(policy.for_seconds) + " s: " + count(to) + " instead of " +
                    std::to_string(now_.replicas));
            return;
        }
        next().low_since.reset();  // the next try looks at values of its own
    }

    // Whether a value would be beyond its threshold after this down, by what the last one did to it. What waits for
    // busy replicas grows ever faster as they become fewer; a value that was 0 before tells that they are busy now.
    bool rises_beyond(std::int32_t to) const {
        const memory& kept = out_.next;
        if (!kept.lowered || kept.changed != kept.lowered || kept.lowered_from <= now_.replicas) return false;
        const double steps = double(now_.replicas - to) / (kept.lowered_from - now_.replicas);
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const auto &now = kept.rules[i].worst, &before = kept.rules[i].at_down;
            if (!rules_[i].down || !now || !before || !is_worse(rules_[i], *now, *before)) continue;
            if (*before <= 0 || *now <= 0 || holds(rules_[i], *now * std::pow(*now / *before, steeper * steps)))
                return true;
        }
        return false;
    }

    // Whether the means would stay below their thresholds with so few.
    bool stay_below(std::int32_t to) const {
        const double rest = std::min(now_.warm, to);
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if (!rules_[i].pods || rules_[i].pods->of != "Mean" || !rules_[i].down || !is_upper(rules_[i])) continue;
            if (rest <= 0 || *values_[i] * now_.warm / rest >= rules_[i].threshold) return false;
        }
        return true;
    }

    bool is_refused(std::int32_t to) {
        if (!next().refused_replicas || to > *next().refused_replicas) return false;
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            const auto then = next().rules[i].refused;
            if (!rules_[i].down || !then) continue;
            if (is_worse(rules_[i], *next().rules[i].worst, is_upper(rules_[i]) ? *then * fallen : *then / fallen))
                return true;
        }
        next().refused_replicas.reset();
        return false;
    }

    void changed() {
        memory& kept = next();
        const bool lower = out_.wanted < now_.replicas;
        // What holds within settleSeconds of a down undoes it, even if it may add replicas only later.
        const auto settles = std::chrono::seconds(std::max(spec_.down.settle_seconds, 4 * spec_.poll_seconds));
        if (held_since_ && out_.kind == verdict::up && kept.lowered && *held_since_ - *kept.lowered < settles) {
            kept.refused_replicas = kept.lowered_to;
            for (rule_memory& each : kept.rules) each.refused = each.at_down;
        }
        if (lower) {
            kept.lowered = now_.now;
            kept.lowered_from = now_.replicas;
            kept.lowered_to = out_.wanted;
            for (rule_memory& each : kept.rules)
                each.at_down = kept.low_since ? each.worst : std::nullopt;  // else: no down of low values
        }
        kept.replicas = out_.wanted;
        kept.changed = now_.now;
        kept.low_since.reset();
        kept.own_zero = out_.wanted == 0;
    }

    std::string quiet() const {
        if (now_.replicas == 0) return "no load";
        if (!out_.lost.empty())
            return out_.lost[0].rule + " has no value: " + std::string(to_string(out_.lost[0].why.reason));
        return "no rule holds";
    }

    const inference_scaler_spec& spec_;
    const std::vector<scaling_rule>& rules_;
    const facts& now_;
    decision out_;
    std::vector<std::optional<double>> values_;
    std::optional<time_point> held_since_;  // since when the rule that decides holds
    bool wanted_ = false;                   // there is load, or somebody asks for a replica
};

}  // namespace

std::string_view to_string(verdict v) noexcept {
    constexpr std::array<std::string_view, 11> names{"steady", "loads", "limited", "off",      "up",       "down",
                                                     "zero",   "wake",  "bounds",  "giveBack", "onMissing"};
    return names[static_cast<std::size_t>(v)];
}

std::optional<double> value_of(const rule_reading& read) {
    if (const double* known = read.value.known()) return std::isfinite(*known) ? std::optional(*known) : std::nullopt;
    const bool nan = read.value.missing()->reason == missing_reason::not_a_number;
    const double* idle = read.idle ? read.idle->known() : nullptr;
    return nan && idle != nullptr && *idle == 0 ? std::optional(0.0) : std::nullopt;
}

bool holds(const scaling_rule& rule, double value) {
    if (rule.op == ">") return value > rule.threshold;
    if (rule.op == ">=") return value >= rule.threshold;
    return rule.op == "<" ? value < rule.threshold : value <= rule.threshold;
}

decision decide(const inference_scaler_spec& spec, const std::vector<scaling_rule>& rules, const memory& before,
                const facts& now) {
    return one_decision(spec, rules, before, now).run();
}

}  // namespace inference_autoscaler
