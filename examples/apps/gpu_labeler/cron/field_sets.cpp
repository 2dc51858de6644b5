#include "cron/field_sets.hpp"

#include <kcontrol/base/ascii.hpp>

#include "messages.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace gpu_labeler::cron {
namespace {

using kcontrol::error;
using kcontrol::result;

constexpr std::string_view month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view day_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct bounds {
    std::string_view name;
    unsigned low;
    unsigned high;
    std::span<const std::string_view> names;  // the first one means `low`
};

const bounds& bounds_of(field_sets::field which) {
    static const bounds all[] = {{"second", 0, 59, {}},         {"minute", 0, 59, {}},
                                 {"hour", 0, 23, {}},           {"day of month", 1, 31, {}},
                                 {"month", 1, 12, month_names}, {"day of week", 0, 6, day_names}};
    return all[which];
}

error bad(const bounds& b, std::string_view value, const std::string& why) {
    return bad_argument(std::string(b.name) + ": " + in_quotes(value) + " " + why);
}

std::string allowed(const bounds& b) {
    auto text = "use " + std::to_string(b.low) + " to " + std::to_string(b.high);
    if (!b.names.empty()) text += " or " + std::string(b.names.front()) + " to " + std::string(b.names.back());
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> words(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n\v\f";
    std::vector<std::string_view> found;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
        if (text.empty()) return found;
        const auto end = std::min(text.find_first_of(spaces), text.size());
        found.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

result<unsigned> number(std::string_view text, const bounds& b) {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed == std::errc::result_out_of_range) return bad(b, text, "is too large; " + allowed(b));
    if (failed != std::errc() || end != text.data() + text.size()) return bad(b, text, "is no number; " + allowed(b));
    return value;
}

result<unsigned> member(std::string_view text, const bounds& b) {
    for (std::size_t i = 0; i < b.names.size(); ++i) {
        if (kcontrol::iequals(text, b.names[i])) return b.low + static_cast<unsigned>(i);
    }
    const auto value = number(text, b);
    if (!value) return value.error();
    if (*value < b.low) return bad(b, text, "is below " + std::to_string(b.low) + "; " + allowed(b));
    if (*value > b.high) return bad(b, text, "is above " + std::to_string(b.high) + "; " + allowed(b));
    return *value;
}

struct range {
    unsigned low;
    unsigned high;
    unsigned step = 1;
    bool star = false;
};

result<range> parse_span(std::string_view text, const bounds& b, bool stepped) {
    if (text == "*" || text == "?") return range{b.low, b.high, 1, true};
    const auto ends = split(text, '-');
    if (ends.size() > 2) return bad(b, text, "has too many hyphens; a range is written 1-5");
    if (ends.front().empty() || ends.back().empty()) return bad(b, text, "is no number and no range; " + allowed(b));
    const auto low = member(ends.front(), b);
    if (!low) return low.error();
    if (ends.size() == 1) return range{*low, stepped ? b.high : *low};
    const auto high = member(ends.back(), b);
    if (!high) return high.error();
    if (*low > *high) return bad(b, text, "ends before it begins; ranges do not wrap, so write two of them");
    return range{*low, *high};
}

result<range> parse_range(std::string_view text, const bounds& b) {
    const auto parts = split(text, '/');
    if (parts.size() > 2) return bad(b, text, "has too many slashes; a step is written */5");
    auto found = parse_span(parts.front(), b, parts.size() == 2);
    if (!found || parts.size() == 1) return found;
    const auto step = number(parts.back(), {"step of " + std::string(b.name), 1, b.high, {}});
    if (!step) return step.error();
    if (*step == 0) return bad(b, text, "has a step of 0; use 1 or more");
    found->step = *step;
    found->star = found->star && *step == 1;
    return found;
}

}  // namespace

std::optional<unsigned> field_sets::set::at_least(unsigned n) const {
    const auto rest = n < 64 ? members >> n << n : 0;
    if (rest == 0) return std::nullopt;
    return static_cast<unsigned>(std::countr_zero(rest));
}

unsigned field_sets::set::first() const { return static_cast<unsigned>(std::countr_zero(members)); }

result<field_sets::set> field_sets::parse_set(std::string_view text, field which) {
    const auto& b = bounds_of(which);
    set found;
    for (const auto part : split(text, ',')) {
        if (part.empty()) return bad(b, text, "has nothing between two commas, or before or after one");
        const auto one = parse_range(part, b);
        if (!one) return one.error();
        for (std::uint64_t n = one->low; n <= one->high; n += one->step) found.members |= std::uint64_t{1} << n;
        found.star = found.star || one->star;
    }
    return found;
}

result<field_sets> field_sets::parse(std::string_view text) {
    const auto parts = words(text);
    if (parts.size() != 5 && parts.size() != 6) {
        return bad_argument(
            in_quotes(text) + " has " + std::to_string(parts.size()) +
            " fields; give five (minute, hour, day of month, month, day of week), or six, of which the " +
            "first is the second");
    }
    field_sets all;
    std::size_t next = 0;
    all.sets_[second].members = 1;
    for (int i = parts.size() == 6 ? second : minute; i < count; ++i) {
        const auto parsed = parse_set(parts[next++], static_cast<field>(i));
        if (!parsed) return parsed.error();
        all.sets_[static_cast<std::size_t>(i)] = *parsed;
    }
    return all;
}

bool field_sets::has_day(std::int64_t days) const {
    const std::chrono::sys_days at{std::chrono::days(days)};
    const std::chrono::year_month_day date(at);
    const bool in_month = sets_[day_of_month].has(static_cast<unsigned>(date.day()));
    const bool in_week = sets_[day_of_week].has(std::chrono::weekday(at).c_encoding());
    const bool both = sets_[day_of_month].star || sets_[day_of_week].star;
    return both ? in_month && in_week : in_month || in_week;
}

std::optional<std::int64_t> field_sets::time_of_day(std::int64_t at_least) const {
    const auto &seconds = sets_[second], &minutes = sets_[minute], &hours = sets_[hour];
    const auto h = static_cast<unsigned>(at_least / 3600);
    const auto m = static_cast<unsigned>(at_least / 60 % 60);
    const auto s = static_cast<unsigned>(at_least % 60);
    const auto at = [](unsigned hh, unsigned mm, unsigned ss) {
        return std::optional<std::int64_t>(hh * 3600 + mm * 60 + ss);
    };
    if (hours.has(h)) {
        if (minutes.has(m)) {
            if (const auto later = seconds.at_least(s)) return at(h, m, *later);
        }
        if (const auto later = minutes.at_least(m + 1)) return at(h, *later, seconds.first());
    }
    if (const auto later = hours.at_least(h + 1)) return at(*later, minutes.first(), seconds.first());
    return std::nullopt;
}

std::optional<std::int64_t> field_sets::next(std::int64_t from, std::int64_t limit) const {
    constexpr std::int64_t day_length = 86'400;
    const auto first_day = std::chrono::floor<std::chrono::days>(std::chrono::seconds(from)).count();
    for (std::int64_t day = first_day; day * day_length < limit;) {
        const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
        if (!sets_[month].has(static_cast<unsigned>(date.month()))) {
            const auto next_month = date.year() / date.month() / 1 + std::chrono::months(1);
            day = std::chrono::sys_days(next_month).time_since_epoch().count();
            continue;
        }
        if (has_day(day)) {
            if (const auto time = time_of_day(day == first_day ? from - day * day_length : 0)) {
                const auto found = day * day_length + *time;
                return found < limit ? std::optional(found) : std::nullopt;
            }
        }
        ++day;
    }
    return std::nullopt;
}

}  // namespace gpu_labeler::cron
