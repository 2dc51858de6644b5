// Defaults that more than one class needs; --help names them.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace training_monitor::defaults {

inline constexpr kcontrol::duration retain_for = std::chrono::hours(24 * 30);
inline constexpr std::uint64_t retain_size = std::uint64_t{1} << 30;
// With TLS a connection takes some 100 KiB, and deploy/base/deployment.yaml gives 512 MiB in all.
inline constexpr std::size_t max_connections = 512;
inline constexpr std::size_t max_event_streams = 256;

}  // namespace training_monitor::defaults
