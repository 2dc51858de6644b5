// The one reader of RFC 3339 times. It holds every year that the format has; parse_time() adds the range of wall_time.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// A moment as RFC 3339 writes it, from year 0 to 9999, and the offset that it is written with.
///
/// What is a time: everything that Go's `time.Parse(time.RFC3339, …)` reads, for that is what API servers take. This is
/// RFC 3339 in capitals with any offset and fraction; besides, an hour of one digit, a comma before the fraction, and
/// offsets up to 24:60. Digits below a nanosecond are cut off. Go knows no leap seconds and refuses second 60.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class rfc3339_time {
public:
    /// Reads what Go reads, and small letters as well (`2024-05-01t12:00:00z`), which RFC 3339 allows.
    /// Errors: invalid_argument, naming the text.
    KCONTROL_DECL static result<rfc3339_time> parse(std::string_view text);
    /// The same without small letters: what an API server takes. Errors: as parse().
    KCONTROL_DECL static result<rfc3339_time> parse_as_go(std::string_view text);

    /// Go's zero time, 0001-01-01T00:00:00Z: many controllers write it where there is no time.
    bool is_zero() const noexcept { return seconds == -62'135'596'800 && nanoseconds == 0; }

    std::int64_t seconds = 0;      ///< since 1970-01-01T00:00:00Z; negative before it
    std::int32_t nanoseconds = 0;  ///< to be added to the seconds; 0 to 999,999,999
    std::int32_t offset = 0;       ///< seconds east of UTC, as the text has it; the moment does not depend on it
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/rfc3339.ipp>
#endif
