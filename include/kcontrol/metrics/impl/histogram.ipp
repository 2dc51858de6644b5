#pragma once

#include <kcontrol/metrics/histogram.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void value_histogram::observe(double value) {
    // A bound belongs to its bucket (Prometheus' "le").
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    ++counts_[static_cast<std::size_t>(at)];
    ++count_;
    sum_ += value;
}

KCONTROL_DECL void value_histogram::add(const value_histogram& other) {
    for (std::size_t i = 0; i < counts_.size() && i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
}

KCONTROL_DECL void duration_histogram::observe(duration d) {
    value_histogram::observe(std::max(0.0, std::chrono::duration<double>(d).count()));
}

}  // namespace kcontrol
