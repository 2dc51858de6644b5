// Defaults that more than one class needs; --help names them.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>

namespace gpu_labeler::defaults {

inline constexpr kcontrol::duration start_jitter = std::chrono::seconds(10);
inline constexpr kcontrol::duration resync_interval = std::chrono::hours(10);
inline constexpr kcontrol::duration keep_labels = std::chrono::minutes(5);
inline constexpr kcontrol::duration nvml_timeout = std::chrono::seconds(5);

}  // namespace gpu_labeler::defaults
