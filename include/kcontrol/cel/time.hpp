// Times and durations of CEL: read and printed as Go does it, with checked arithmetic. Pure.
#pragma once

#include <kcontrol/config.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::cel {

/// A moment from the year 1 to 9999, and the offset that it was written with, which only its text shows.
class timestamp_value {
public:
    std::int64_t seconds = 0;      ///< since 1970, UTC
    std::int32_t nanoseconds = 0;  ///< 0 to 999,999,999
    std::int32_t offset = 0;       ///< seconds east of UTC

    friend std::strong_ordering operator<=>(const timestamp_value& a, const timestamp_value& b) {
        if (const auto by = a.seconds <=> b.seconds; by != 0) return by;
        return a.nanoseconds <=> b.nanoseconds;
    }
    friend bool operator==(const timestamp_value& a, const timestamp_value& b) { return (a <=> b) == 0; }
};

class duration_value {
public:
    std::int64_t nanoseconds = 0;
    auto operator<=>(const duration_value&) const = default;
};

/// RFC 3339. Nothing: it is not, or outside of the years 1 to 9999.
KCONTROL_DECL std::optional<timestamp_value> parse_timestamp(std::string_view text);
KCONTROL_DECL std::string to_text(
    const timestamp_value& at);  ///< RFC 3339, with as many digits of fraction as are needed
KCONTROL_DECL std::string to_text(const duration_value& span);  ///< seconds: "90.5s"

/// As Go's time.ParseDuration: "1h30m", "-1.5s".
KCONTROL_DECL std::optional<duration_value> parse_go_duration(std::string_view text);
/// As `format: duration` of schemas, which takes "2 days", too.
KCONTROL_DECL std::optional<duration_value> parse_schema_duration(std::string_view text);

/// Nothing: beyond what a timestamp or a duration holds.
KCONTROL_DECL std::optional<timestamp_value> add_duration(const timestamp_value& at, const duration_value& span);
KCONTROL_DECL std::optional<timestamp_value> subtract_duration(const timestamp_value& at, const duration_value& span);
KCONTROL_DECL std::optional<duration_value> time_between(const timestamp_value& a, const timestamp_value& b);

/// A part of a moment, by CEL's name of the function: "getHours". Nothing: no such function.
KCONTROL_DECL std::optional<std::int64_t> part_of(const timestamp_value& at, std::string_view function,
                                                  std::int32_t offset);
KCONTROL_DECL std::optional<std::int64_t> part_of(const duration_value& span, std::string_view function);
/// "+02:00" or "UTC" as seconds east of UTC. Nothing for a name of a zone: this server has no table of those.
KCONTROL_DECL std::optional<std::int32_t> parse_offset(std::string_view zone);

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/time.ipp>
#endif
