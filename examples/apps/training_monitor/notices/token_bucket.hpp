// A token bucket as a plain value: so many at once, and so many a second in the long run.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>

namespace training_monitor::notices {

/// Thread-safety: distinct objects safe; shared objects unsafe.
class token_bucket {
public:
    /// Full at first. `per_second` > 0, `burst` >= 1.
    token_bucket(double per_second, double burst) : per_second_(per_second), burst_(burst), tokens_(burst) {}

    /// The earliest time from `now` on at which there is a token.
    kcontrol::time_point ready_at(kcontrol::time_point now) {
        refill(now);
        // The tolerance is for what doubles lose: without it one could wake up a nanosecond early for ever.
        if (tokens_ >= 1.0 - 1e-9) return now;
        const std::chrono::duration<double> wait((1.0 - tokens_) / per_second_);
        return now + std::chrono::ceil<kcontrol::duration>(wait);
    }

    /// Takes a token; call it when ready_at() is not after `now`.
    void take(kcontrol::time_point now) {
        refill(now);
        tokens_ = std::max(0.0, tokens_ - 1.0);
    }

    double per_second() const noexcept { return per_second_; }
    double burst() const noexcept { return burst_; }

private:
    void refill(kcontrol::time_point now) {
        if (now <= last_) return;
        const std::chrono::duration<double> passed = now - last_;
        if (last_ != kcontrol::time_point{}) tokens_ = std::min(burst_, tokens_ + passed.count() * per_second_);
        last_ = now;
    }

    double per_second_;
    double burst_;
    double tokens_;
    kcontrol::time_point last_{};
};

}  // namespace training_monitor::notices
