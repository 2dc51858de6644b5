// Defaults that more than one class needs; --help names them.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>

namespace training_monitor::defaults {

inline constexpr kcontrol::duration retain_for = std::chrono::hours(24 * 30);
inline constexpr std::uint64_t retain_size = std::uint64_t{1} << 30;

}  // namespace training_monitor::defaults
