// Defaults that more than one class needs; --help names them.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstddef>

namespace gpu_labeler::defaults {

inline constexpr kcontrol::duration start_jitter = std::chrono::seconds(10);
inline constexpr kcontrol::duration resync_interval = std::chrono::hours(10);
inline constexpr kcontrol::duration keep_labels = std::chrono::minutes(5);
inline constexpr kcontrol::duration nvml_timeout = std::chrono::seconds(5);
inline constexpr kcontrol::duration health_unknown_after = std::chrono::minutes(2);
inline constexpr kcontrol::duration health_known_after = std::chrono::seconds(30);
inline constexpr kcontrol::duration health_well_after = std::chrono::minutes(5);
inline constexpr std::size_t max_connections = 128;
// What connections may hold; deploy/base/daemonset.yaml gives 64 MiB in all, and the driver's library counts, too.
inline constexpr std::size_t max_buffered_bytes = std::size_t{8} << 20;

}  // namespace gpu_labeler::defaults
