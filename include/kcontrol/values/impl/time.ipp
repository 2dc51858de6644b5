#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/impl/rfc3339.ipp>
#include <kcontrol/values/rfc3339.hpp>
#include <kcontrol/values/time.hpp>

#include <chrono>
#include <cstdio>

namespace kcontrol::inline v0_1 {
namespace detail {

// `digits` of fraction: 0, 6 or 9.
inline std::string write_timestamp(wall_time at, int digits) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto of_day = static_cast<int>((second - day).count());
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                  of_day / 60 % 60, of_day % 60);
    std::string out = text;
    if (digits > 0) {
        std::snprintf(text, sizeof text, ".%09d", static_cast<int>((at - second).count()));
        out.append(text, static_cast<std::size_t>(digits) + 1);
    }
    return out + "Z";
}

}  // namespace detail

KCONTROL_DECL result<wall_time> parse_time(std::string_view text) {
    // wall_time counts nanoseconds in 64 bits: these whole years fit.
    constexpr std::int64_t first = -9'214'560'000, end = 9'214'646'400;  // 1678-01-01 and 2262-01-01
    const auto at = detail::read_rfc3339(text, true);
    if (at && at->seconds >= first && at->seconds < end) {
        return wall_time(std::chrono::seconds(at->seconds)) + std::chrono::nanoseconds(at->nanoseconds);
    }
    return error(errc::invalid_argument, "\"" + escape_control(text.substr(0, 64)) +
                                             "\" is not a time; expected RFC 3339, as in 2024-05-01T12:00:00Z, from "
                                             "1678 to 2261");
}

KCONTROL_DECL std::string format_time(wall_time at) { return detail::write_timestamp(at, 0); }
KCONTROL_DECL std::string format_micro_time(wall_time at) { return detail::write_timestamp(at, 6); }
KCONTROL_DECL std::string format_full_time(wall_time at) {
    if (std::chrono::floor<std::chrono::seconds>(at) == at) return format_time(at);
    std::string out = detail::write_timestamp(at, 9);
    out.erase(out.find_last_not_of("0Z") + 1);
    return out + "Z";
}

}  // namespace kcontrol
