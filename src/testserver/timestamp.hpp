// RFC 3339 timestamps of objects, and ages as kubectl shows them.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// "2026-11-21T06:42:28Z".
std::string format_timestamp(wall_time when);

/// Reads what metav1.Time reads; nothing if it is something else, or beyond what wall_time holds.
std::optional<wall_time> parse_timestamp(std::string_view text);

/// The age of something since that time, as a table shows it: `<unknown>` where there is none (an empty text, "null",
/// Go's zero time), `<invalid>` where it is no time, or in the future.
std::string age_text(std::string_view timestamp, wall_time now);

/// "5s", "3m10s", "25h", "4d": apimachinery's HumanDuration.
std::string human_duration(std::chrono::seconds age);

}  // namespace kcontrol::testing
