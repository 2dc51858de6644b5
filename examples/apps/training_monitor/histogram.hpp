// The histograms of /metrics and their bounds.
#pragma once

#include <kcontrol/metrics/histogram.hpp>

#include <array>

namespace training_monitor {

/// From the sight of a change to its delivery.
using latency_histogram = kcontrol::duration_histogram;
inline constexpr std::array<double, 12> latency_bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600};

/// How long a job was in a state.
using state_histogram = kcontrol::duration_histogram;
inline constexpr std::array<double, 10> state_bounds{1, 10, 60, 300, 1800, 3600, 21600, 86400, 259200, 604800};

}  // namespace training_monitor
