// How far a followed value can be relied on.
#pragma once

#include <string_view>

namespace kcontrol::inline v0_1::service {

/// State of a followed value (endpoints, a leader).
enum class freshness {
    live,      ///< the watch is open, and the server gave a sign of life within `stale_after`
    resuming,  ///< the watch is broken; the last sign of life is younger than `stale_after`
    stale,     ///< the last sign of life is older, or the value comes from a file
};

/// "live", "resuming" or "stale".
constexpr std::string_view to_string(freshness state) noexcept {
    return state == freshness::live ? "live" : state == freshness::resuming ? "resuming" : "stale";
}

}  // namespace kcontrol::service
