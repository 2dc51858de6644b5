// Cron schedules in robfig/cron's notation, and when they fire next. The only header of this part that others include.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "cron/field_sets.hpp"
#include "cron/time_zone.hpp"

#include <optional>
#include <string_view>
#include <variant>

namespace gpu_labeler::cron {

/// When something is to be done again and again.
///
/// The notation: five fields, minute, hour, day of month, month and day of week (0-6, Sunday is 0), or six, of which
/// the first is the second. A field is a list of `*` or `?` (the same), `5`, `1-5`, `JAN`, `MON-FRI`, each also with a
/// step
/// (`*/15`, `10-40/5`; `7/20` means from 7 on). Where both days are given, one of them is enough; where one is `*`,
/// both must fit, and `*` always does (`*/2` is no longer a star in this sense). Instead of fields: `@yearly`,
/// `@annually`,
/// `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`, or `@every DURATION` as Go writes it (`1h30m`), cut to
/// seconds and at least one. `CRON_TZ=Europe/Berlin` or `TZ=…` before it says whose clock is meant.
///
/// A time that the clocks skip does not fire; a time that they show twice fires twice. Both are robfig's behaviour.
/// What robfig takes by accident is an error here: a list with nothing between commas, `*-5`, `+5`, a negative
/// interval.
///
/// Source: https://pkg.go.dev/github.com/robfig/cron/v3.
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class schedule {
public:
    /// Reads the notation above. `home` is the zone of a text that names none.
    /// Errors: invalid_argument, naming the field, the value and what would be right.
    static kcontrol::result<schedule> parse(std::string_view text, time_zone home);

    /// The first time after the given one, in whole seconds. Nothing: none within nine years (30 February; the longest
    /// wait of a time that does come is that for 29 February over a year like 2100), or beyond what wall_time holds.
    std::optional<kcontrol::wall_time> next(kcontrol::wall_time after) const;

    /// Whether it means times of the wall clock, and not an interval: then a clock that is set moves them.
    bool follows_clock() const noexcept { return std::holds_alternative<field_sets>(when_); }

    /// The zone in which the fields are meant.
    const time_zone& zone() const noexcept { return zone_; }

private:
    struct interval {
        std::int64_t seconds;
    };

    schedule(std::variant<field_sets, interval> when, time_zone zone);

    std::variant<field_sets, interval> when_;
    time_zone zone_;
};

}  // namespace gpu_labeler::cron
