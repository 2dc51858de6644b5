// Times and durations of CEL: read and printed as Go does it, with checked arithmetic. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// A moment from the year 1 to 9999, and the offset that it was written with, which only its text shows.
class cel_timestamp {
public:
    std::int64_t seconds = 0;      ///< since 1970, UTC
    std::int32_t nanoseconds = 0;  ///< 0 to 999,999,999
    std::int32_t offset = 0;       ///< seconds east of UTC

    friend std::strong_ordering operator<=>(const cel_timestamp& a, const cel_timestamp& b) {
        if (const auto by = a.seconds <=> b.seconds; by != 0) return by;
        return a.nanoseconds <=> b.nanoseconds;
    }
    friend bool operator==(const cel_timestamp& a, const cel_timestamp& b) { return (a <=> b) == 0; }
};

class cel_duration {
public:
    std::int64_t nanoseconds = 0;
    auto operator<=>(const cel_duration&) const = default;
};

/// RFC 3339. Nothing: it is not, or outside of the years 1 to 9999.
std::optional<cel_timestamp> parse_cel_timestamp(std::string_view text);
std::string to_text(const cel_timestamp& at);   ///< RFC 3339, with as many digits of fraction as are needed
std::string to_text(const cel_duration& span);  ///< seconds: "90.5s"

/// As Go's time.ParseDuration: "1h30m", "-1.5s".
std::optional<cel_duration> parse_go_duration(std::string_view text);
/// As `format: duration` of schemas, which takes "2 days", too.
std::optional<cel_duration> parse_schema_duration(std::string_view text);

/// Nothing: beyond what a timestamp or a duration holds.
std::optional<cel_timestamp> add_duration(const cel_timestamp& at, const cel_duration& span);
std::optional<cel_timestamp> subtract_duration(const cel_timestamp& at, const cel_duration& span);
std::optional<cel_duration> time_between(const cel_timestamp& a, const cel_timestamp& b);

/// A part of a moment, by CEL's name of the function: "getHours". Nothing: no such function.
std::optional<std::int64_t> part_of(const cel_timestamp& at, std::string_view function, std::int32_t offset);
std::optional<std::int64_t> part_of(const cel_duration& span, std::string_view function);
/// "+02:00" or "UTC" as seconds east of UTC. Nothing for a name of a zone: this server has no table of those.
std::optional<std::int32_t> parse_cel_offset(std::string_view zone);

}  // namespace kcontrol::testing::detail
