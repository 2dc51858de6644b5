#pragma once

#include <kcontrol/metrics/histogram.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace kcontrol {

KCONTROL_DECL void duration_histogram::observe(duration d) {
    const double seconds = std::max(0.0, std::chrono::duration<double>(d).count());
    // A bound belongs to its bucket (Prometheus' "le").
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
    ++counts_[static_cast<std::size_t>(at)];
    ++count_;
    sum_ += seconds;
}

}  // namespace kcontrol
