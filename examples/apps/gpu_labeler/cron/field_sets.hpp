// The fields of a cron schedule as sets of numbers, and the next local time that is in all of them. No time zones here.
#pragma once

#include <kcontrol/base/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpu_labeler::cron {

/// Seconds, minutes, hours, days and months, each a set.
class field_sets {
public:
    enum field { second, minute, hour, day_of_month, month, day_of_week, count };

    /// Reads five fields, of which the first is the minute, or six, of which it is the second; see schedule.
    /// Errors: invalid_argument, naming the field, the value and what would be right.
    static kcontrol::result<field_sets> parse(std::string_view text);

    /// The first matching second in [from, limit). Seconds of a local clock without leaps, 0 being the start of 1970.
    std::optional<std::int64_t> next(std::int64_t from, std::int64_t limit) const;

private:
    struct set {
        std::uint64_t members = 0;  // bit n: n is in it
        bool star = false;

        bool has(unsigned n) const { return (members >> n & 1) != 0; }
        std::optional<unsigned> at_least(unsigned n) const;
        unsigned first() const;
    };

    static kcontrol::result<set> parse_set(std::string_view text, field which);
    bool has_day(std::int64_t days) const;
    std::optional<std::int64_t> time_of_day(std::int64_t at_least) const;

    std::array<set, count> sets_;
};

}  // namespace gpu_labeler::cron
