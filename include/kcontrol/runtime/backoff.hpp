// Exponential backoff with jitter, as a plain value: no clock and no random source inside.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

namespace kcontrol::inline v0_1 {

/// The shape of a backoff. The defaults are client-go's reflector: 800 ms doubling to 30 s, full jitter, and a
/// fresh start after two quiet minutes.
class backoff_policy {
public:
    backoff_policy() = default;
    backoff_policy& initial(duration d) { return initial_ = d, *this; }  ///< the first delay; default 800 ms
    /// Delays grow up to this; jitter comes on top. Default 30 s.
    backoff_policy& cap(duration d) { return cap_ = d, *this; }
    backoff_policy& factor(double f) { return factor_ = f, *this; }  ///< of a delay and the one before; default 2
    /// The delay is stretched by up to this share of itself.
    backoff_policy& jitter(double j) { return jitter_ = j, *this; }
    /// After so long without a failure the next delay is the initial one again. Default 2 min.
    backoff_policy& reset_after(duration d) { return reset_after_ = d, *this; }

    duration initial() const noexcept { return initial_; }
    duration cap() const noexcept { return cap_; }
    double factor() const noexcept { return factor_; }
    double jitter() const noexcept { return jitter_; }
    duration reset_after() const noexcept { return reset_after_; }

private:
    duration initial_ = std::chrono::milliseconds(800);
    duration cap_ = std::chrono::seconds(30);
    double factor_ = 2.0;
    double jitter_ = 1.0;
    duration reset_after_ = std::chrono::minutes(2);
};

/// Where a series of failures stands.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class backoff {
public:
    /// No failure yet.
    explicit backoff(backoff_policy policy = {}) : policy_(policy), next_(policy.initial()) {}

    /// The delay before the next try after a failure at `now`. `unit` is a random number in [0, 1).
    KCONTROL_DECL duration next(time_point now, double unit);

    void reset() { next_ = policy_.initial(), last_ = {}; }  ///< to be called after a success

private:
    backoff_policy policy_;
    duration next_;
    time_point last_{};
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/backoff.ipp>
#endif
