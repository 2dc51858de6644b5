// Times as the state file has them: milliseconds since the epoch.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace training_monitor {

inline std::int64_t to_ms(kcontrol::wall_time t) {
    return std::chrono::floor<std::chrono::milliseconds>(t.time_since_epoch()).count();
}
inline std::optional<std::int64_t> to_ms(const std::optional<kcontrol::wall_time>& t) {
    return t ? std::optional(to_ms(*t)) : std::nullopt;
}
inline kcontrol::wall_time from_ms(std::int64_t ms) { return kcontrol::wall_time(std::chrono::milliseconds(ms)); }
inline std::optional<kcontrol::wall_time> from_ms(std::optional<std::int64_t> ms) {
    return ms ? std::optional(from_ms(*ms)) : std::nullopt;
}

}  // namespace training_monitor
