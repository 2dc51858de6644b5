#include "cron/schedule.hpp"

#include <kcontrol/base/trim.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "messages.hpp"

#include <algorithm>
#include <limits>

namespace gpu_labeler::cron {
namespace {

using kcontrol::result;
using kcontrol::wall_time;

constexpr std::string_view spaces = " \t\r\n\v\f";
constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr std::int64_t horizon = 9LL * 366 * 86'400;

// Takes `TZ=name ` or `CRON_TZ=name ` off the text, and answers the name.
result<std::optional<std::string_view>> take_zone(std::string_view& text) {
    for (const std::string_view prefix : {"CRON_TZ=", "TZ="}) {
        if (!text.starts_with(prefix)) continue;
        const auto end = text.find_first_of(spaces);
        if (end == text.npos)
            return bad_argument(in_quotes(text) + " names a time zone but no schedule; write it after a space");
        const auto name = text.substr(prefix.size(), end - prefix.size());
        text = kcontrol::trim_blanks(text.substr(end), spaces);
        return std::optional(name);
    }
    return std::optional<std::string_view>();
}

std::optional<std::string_view> meaning_of(std::string_view descriptor) {
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
        {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
    };
    for (const auto& [name, fields] : known) {
        if (name == descriptor) return fields;
    }
    return std::nullopt;
}

result<std::int64_t> interval_of(std::string_view text) {
    const auto length = kcontrol::parse_duration(text);
    if (!length) return length.error().with_context("@every");
    if (length->count() < 0)
        return bad_argument("@every: " + in_quotes(text) + " is negative; give a length such as 30s or 1h30m");
    return std::max<std::int64_t>(length->count() / nanoseconds, 1);
}

// Seconds since 1970, rounded down; wall_time reaches back to 1678.
std::int64_t seconds_of(wall_time at) {
    return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

std::optional<wall_time> time_of(std::int64_t seconds) {
    if (seconds > std::numeric_limits<std::int64_t>::max() / nanoseconds) return std::nullopt;
    return wall_time(std::chrono::seconds(seconds));
}

// Within a stretch of the zone's rules local time is UTC and a constant; so the fields are matched without the zone,
// and what lies behind the stretch's end is looked for again from there.
std::optional<std::int64_t> next_match(const field_sets& fields, const time_zone& zone, std::int64_t from) {
    for (std::int64_t at = from; at - from < horizon;) {
        const auto stretch = zone.stretch_at(at);
        const auto limit = std::min(stretch.until.value_or(at + horizon), at + horizon);
        if (const auto local = fields.next(at + stretch.offset, limit + stretch.offset)) return *local - stretch.offset;
        at = limit;
    }
    return std::nullopt;
}

}  // namespace

schedule::schedule(std::variant<field_sets, interval> when, time_zone zone)
    : when_(std::move(when)), zone_(std::move(zone)) {}

result<schedule> schedule::parse(std::string_view text, time_zone home) {
    auto rest = kcontrol::trim_blanks(text, spaces);
    if (rest.empty())
        return bad_argument("the schedule is empty; give five fields, such as \"*/5 * * * *\", or \"@every 1m\"");
    const auto name = take_zone(rest);
    if (!name) return name.error();
    if (*name) {
        const auto zone = time_zone::load(**name);
        if (!zone) return zone.error();
        home = *zone;
    }
    constexpr std::string_view every = "@every ";
    if (rest.starts_with(every)) {
        const auto seconds = interval_of(rest.substr(every.size()));
        if (!seconds) return seconds.error();
        return schedule(interval{*seconds}, std::move(home));
    }
    if (rest.starts_with('@')) {
        const auto meaning = meaning_of(rest);
        if (!meaning) {
            return bad_argument(in_quotes(rest) +
                                " is not known; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, " +
                                "@hourly or @every with a length such as 1h30m");
        }
        rest = *meaning;
    }
    const auto fields = field_sets::parse(rest);
    if (!fields) return fields.error();
    return schedule(*fields, std::move(home));
}

std::optional<wall_time> schedule::next(wall_time after) const {
    const auto now = seconds_of(after);
    if (const auto* fixed = std::get_if<interval>(&when_)) {
        if (fixed->seconds > std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(now, 0)) return {};
        return time_of(now + fixed->seconds);
    }
    const auto found = next_match(std::get<field_sets>(when_), zone_, now + 1);
    return found ? time_of(*found) : std::nullopt;
}

}  // namespace gpu_labeler::cron
