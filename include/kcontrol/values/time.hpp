// Timestamps as Kubernetes writes them (RFC 3339), to and from wall_time. No locale, no time zone database.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Reads `2024-05-01T12:00:00Z`, with any fraction of a second and any offset. Digits below a nanosecond are cut off.
/// Errors: invalid_argument, naming the text: not RFC 3339, a day that does not exist, or outside 1678 to 2261, which
/// is what wall_time can hold.
KCONTROL_DECL result<wall_time> parse_time(std::string_view text);

/// metav1.Time: whole seconds (cut off, not rounded), UTC.
KCONTROL_DECL std::string format_time(wall_time at);

/// metav1.MicroTime: six digits of fraction, as Leases have.
KCONTROL_DECL std::string format_micro_time(wall_time at);

/// RFC 3339, UTC, with as many digits of fraction as are needed: none for whole seconds, nine at most.
KCONTROL_DECL std::string format_full_time(wall_time at);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/time.ipp>
#endif
