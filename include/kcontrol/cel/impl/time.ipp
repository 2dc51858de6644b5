#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/cel/time.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace kcontrol::inline v0_1::cel {

namespace detail {

inline constexpr std::int64_t earliest_second = -62'135'596'800, latest_second = 253'402'300'799;
inline constexpr std::int64_t per_second = 1'000'000'000;

struct civil_day {
    std::int64_t year;
    int month, day;  // from 1
};

inline std::int64_t days_before(std::int64_t year, int month, int day) {
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

inline civil_day day_of(std::int64_t days) {
    days += 719'468;
    const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097, of_era = days - era * 146'097;
    const std::int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
    const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100), part = (5 * of_year + 2) / 153;
    const int month = static_cast<int>(part < 10 ? part + 3 : part - 9);
    return {year + era * 400 + (month <= 2 ? 1 : 0), month, static_cast<int>(of_year - (153 * part + 2) / 5 + 1)};
}

inline bool is_digit_of_time(char c) { return c >= '0' && c <= '9'; }

/// Cuts a text from its front; `fits` is false once something was not there.
class time_scanner {
public:
    explicit time_scanner(std::string_view text) : rest(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest.empty() || !is_digit_of_time(rest.front())) return fits = false, 0;
            value = value * 10 + (rest.front() - '0');
            rest.remove_prefix(1);
        }
        return value;
    }
    bool accept(std::string_view any_of) {
        if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
        rest.remove_prefix(1);
        return true;
    }
    void expect(std::string_view any_of) { fits = accept(any_of) && fits; }

    std::string_view rest;
    bool fits = true;
};

inline int days_in(int year, int month) {
    constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

inline std::string two_digits(std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace detail

KCONTROL_DECL std::optional<timestamp_value> parse_timestamp(std::string_view text) {
    detail::time_scanner scan(text);
    const int year = scan.number(4);
    scan.expect("-");
    const int month = scan.number(2);
    scan.expect("-");
    const int day = scan.number(2);
    scan.expect("Tt");
    const int hour = scan.number(2);
    scan.expect(":");
    const int minute = scan.number(2);
    scan.expect(":");
    const int second = scan.number(2);
    timestamp_value out;
    if (scan.accept(".,")) {
        std::int32_t unit = 100'000'000;
        scan.fits = scan.fits && !scan.rest.empty() && detail::is_digit_of_time(scan.rest.front());
        for (; !scan.rest.empty() && detail::is_digit_of_time(scan.rest.front()); unit /= 10) {
            out.nanoseconds += unit * scan.number(1);
        }
    }
    if (!scan.accept("Zz")) {
        const bool west = scan.accept("-");
        if (!west) scan.expect("+");
        const int hours = scan.number(2);
        scan.expect(":");
        const int minutes = scan.number(2);
        if (hours > 24 || minutes > 60) return std::nullopt;
        out.offset = (hours * 60 + minutes) * 60 * (west ? -1 : 1);
    }
    if (!scan.fits || !scan.rest.empty() || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        second > 59 || day > detail::days_in(year, month)) {
        return std::nullopt;
    }
    out.seconds = detail::days_before(year, month, day) * 86'400 + hour * 3600 + minute * 60 + second - out.offset;
    if (out.seconds < detail::earliest_second || out.seconds > detail::latest_second) return std::nullopt;
    return out;
}

KCONTROL_DECL std::string to_text(const timestamp_value& at) {
    const std::int64_t local = at.seconds + at.offset, days = detail::floor_divide(local, 86'400);
    const std::int64_t of_day = local - days * 86'400;
    const detail::civil_day date = detail::day_of(days);
    std::string year = std::to_string(date.year);
    year.insert(0, year.size() < 4 ? 4 - year.size() : 0, '0');
    std::string out = year + "-" + detail::two_digits(date.month) + "-" + detail::two_digits(date.day) + "T" +
                      detail::two_digits(of_day / 3600) + ":" + detail::two_digits(of_day / 60 % 60) + ":" +
                      detail::two_digits(of_day % 60);
    if (at.nanoseconds != 0) {
        std::string digits = std::to_string(detail::per_second + at.nanoseconds).substr(1);
        digits.erase(digits.find_last_not_of('0') + 1);
        out += "." + digits;
    }
    if (at.offset == 0) return out + "Z";
    const std::int32_t minutes = std::abs(at.offset) / 60;
    return out + (at.offset < 0 ? "-" : "+") + detail::two_digits(minutes / 60) + ":" +
           detail::two_digits(minutes % 60);
}

KCONTROL_DECL std::string to_text(const duration_value& span) {
    // As %f with as few digits as give the same double.
    char digits[400];
    const double seconds = static_cast<double>(span.nanoseconds / detail::per_second) +
                           static_cast<double>(span.nanoseconds % detail::per_second) / 1e9;
    const auto end = std::to_chars(digits, std::end(digits), seconds, std::chars_format::fixed);
    return std::string(digits, end.ptr) + "s";
}

namespace detail {

inline std::int64_t unit_of_go(std::string_view name) {
    static constexpr std::pair<std::string_view, std::int64_t> units[] = {
        {"ns", 1},       {"us", 1000},      {"\u00b5s", 1000},      {"\u03bcs", 1000},
        {"ms", 1000000}, {"s", per_second}, {"m", 60 * per_second}, {"h", 3600 * per_second}};
    for (const auto& [known, worth] : units) {
        if (known == name) return worth;
    }
    return 0;
}

using wide_count = __int128;

inline std::optional<duration_value> duration_of(wide_count nanoseconds) {
    if (nanoseconds < std::numeric_limits<std::int64_t>::min() ||
        nanoseconds > std::numeric_limits<std::int64_t>::max()) {
        return std::nullopt;
    }
    return duration_value{static_cast<std::int64_t>(nanoseconds)};
}

}  // namespace detail

KCONTROL_DECL std::optional<duration_value> parse_go_duration(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return duration_value{};
    if (text.empty()) return std::nullopt;
    detail::wide_count sum = 0;
    while (!text.empty()) {
        detail::wide_count whole = 0, part = 0, parts = 1;
        std::size_t digits = 0;
        for (; !text.empty() && detail::is_digit_of_time(text.front()); text.remove_prefix(1), ++digits) {
            whole = whole * 10 + (text.front() - '0');
            if (whole > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
        }
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            for (; !text.empty() && detail::is_digit_of_time(text.front()); text.remove_prefix(1), ++digits) {
                if (parts >= 1'000'000'000'000'000) continue;  // finer than a nanosecond of any unit
                part = part * 10 + (text.front() - '0');
                parts *= 10;
            }
        }
        const auto end =
            std::find_if(text.begin(), text.end(), [](char c) { return c == '.' || detail::is_digit_of_time(c); });
        const auto length = static_cast<std::size_t>(end - text.begin());
        const std::int64_t unit = detail::unit_of_go(text.substr(0, length));
        if (digits == 0 || unit == 0) return std::nullopt;
        text.remove_prefix(length);
        sum += whole * unit + part * unit / parts;
        if (sum > detail::wide_count(1) << 63) return std::nullopt;
    }
    return detail::duration_of(negative ? -sum : sum);
}

KCONTROL_DECL std::optional<duration_value> parse_schema_duration(std::string_view text) {
    if (const auto plain = parse_go_duration(text)) return plain;
    // Numbers and words, wherever they are: "2 days 3hours".
    struct word {
        std::string_view exact, longest;
        std::int64_t worth;
    };
    static constexpr word words[] = {{"ns", "nano", 1},
                                     {"us", "micro", 1000},
                                     {"\u00b5s", "micro", 1000},
                                     {"ms", "milli", 1000000},
                                     {"s", "sec", detail::per_second},
                                     {"m", "min", 60 * detail::per_second},
                                     {"h", "hour", 3600 * detail::per_second},
                                     {"hr", "hour", 3600 * detail::per_second},
                                     {"d", "day", 86'400 * detail::per_second},
                                     {"w", "week", 604'800 * detail::per_second},
                                     {"wk", "week", 604'800 * detail::per_second}};
    detail::wide_count sum = 0;
    bool any = false;
    while (!text.empty()) {
        if (!detail::is_digit_of_time(text.front())) {
            text.remove_prefix(1);
            continue;
        }
        detail::wide_count count = 0;
        for (; !text.empty() && detail::is_digit_of_time(text.front()); text.remove_prefix(1)) {
            count = count * 10 + (text.front() - '0');
            if (count > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
        }
        while (!text.empty() && std::string_view(" \t\n\r\f").find(text.front()) != std::string_view::npos) {
            text.remove_prefix(1);
        }
        std::string unit;
        for (; !text.empty(); text.remove_prefix(1)) {
            const char c = text.front();
            const bool letter =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80U);
            if (!letter) break;
            unit += ascii_lower(c);
        }
        const auto* found = std::find_if(std::begin(words), std::end(words), [&unit](const word& one) {
            return unit == one.exact || unit.starts_with(one.longest);
        });
        if (found == std::end(words)) continue;
        any = true;
        sum += count * found->worth;
    }
    if (!any) return std::nullopt;
    return detail::duration_of(sum);
}

KCONTROL_DECL std::optional<timestamp_value> add_duration(const timestamp_value& at, const duration_value& span) {
    const detail::wide_count sum =
        detail::wide_count(at.seconds) * detail::per_second + at.nanoseconds + span.nanoseconds;
    detail::wide_count seconds = sum / detail::per_second, rest = sum % detail::per_second;
    if (rest < 0) {
        rest += detail::per_second;
        --seconds;
    }
    if (seconds < detail::earliest_second || seconds > detail::latest_second) return std::nullopt;
    return timestamp_value{static_cast<std::int64_t>(seconds), static_cast<std::int32_t>(rest), at.offset};
}

KCONTROL_DECL std::optional<timestamp_value> subtract_duration(const timestamp_value& at, const duration_value& span) {
    if (span.nanoseconds != std::numeric_limits<std::int64_t>::min())
        return add_duration(at, duration_value{-span.nanoseconds});
    const auto most = add_duration(at, duration_value{std::numeric_limits<std::int64_t>::max()});
    return most ? add_duration(*most, duration_value{1}) : std::nullopt;
}

KCONTROL_DECL std::optional<duration_value> time_between(const timestamp_value& a, const timestamp_value& b) {
    return detail::duration_of((detail::wide_count(a.seconds) - b.seconds) * detail::per_second + a.nanoseconds -
                               b.nanoseconds);
}

KCONTROL_DECL std::optional<std::int64_t> part_of(const timestamp_value& at, std::string_view function,
                                                  std::int32_t offset) {
    const std::int64_t local = at.seconds + offset, days = detail::floor_divide(local, 86'400),
                       of_day = local - days * 86'400;
    const detail::civil_day date = detail::day_of(days);
    if (function == "getFullYear") return date.year;
    if (function == "getMonth") return date.month - 1;
    if (function == "getDate") return date.day;
    if (function == "getDayOfMonth") return date.day - 1;
    if (function == "getDayOfWeek") return ((days + 4) % 7 + 7) % 7;
    if (function == "getDayOfYear") return days - detail::days_before(date.year, 1, 1);
    if (function == "getHours") return of_day / 3600;
    if (function == "getMinutes") return of_day / 60 % 60;
    if (function == "getSeconds") return of_day % 60;
    if (function == "getMilliseconds") return at.nanoseconds / 1'000'000;
    return std::nullopt;
}

KCONTROL_DECL std::optional<std::int64_t> part_of(const duration_value& span, std::string_view function) {
    if (function == "getHours") return span.nanoseconds / (3600 * detail::per_second);
    if (function == "getMinutes") return span.nanoseconds / (60 * detail::per_second);
    if (function == "getSeconds") return span.nanoseconds / detail::per_second;
    if (function == "getMilliseconds") return span.nanoseconds / 1'000'000;
    return std::nullopt;
}

KCONTROL_DECL std::optional<std::int32_t> parse_offset(std::string_view zone) {
    if (zone.empty() || zone == "UTC") return 0;
    const std::size_t colon = zone.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const bool west = zone.front() == '-';
    int hours = 0, minutes = 0;
    const std::string_view before = zone.substr(zone.front() == '+' ? 1 : 0, colon - (zone.front() == '+' ? 1 : 0));
    const std::string_view after = zone.substr(colon + 1);
    const auto first = std::from_chars(before.data(), before.data() + before.size(), hours);
    const auto second = std::from_chars(after.data(), after.data() + after.size(), minutes);
    if (first.ec != std::errc() || first.ptr != before.data() + before.size() || second.ec != std::errc() ||
        second.ptr != after.data() + after.size() || std::abs(hours) > 24 || std::abs(minutes) > 60) {
        return std::nullopt;
    }
    return (hours * 60 + (west ? -minutes : minutes)) * 60;
}

}  // namespace kcontrol::cel
