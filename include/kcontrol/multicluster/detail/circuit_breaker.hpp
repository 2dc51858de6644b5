// Whether a server that does not answer is asked at all: a state machine without a clock.
#pragma once

#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1::detail {

/// Counts requests that nobody answered, and shuts after so many in a row. Shut, it refuses; after a pause it lets one
/// request through, the probe, whose end decides.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class circuit_breaker {
public:
    enum class verdict { pass, probe, refuse };

    /// `failures` in a row shut it; 0: never.
    circuit_breaker(std::uint32_t failures, backoff_policy pause) : most_(failures), pause_(pause) {}

    /// A request is about to be sent. After `probe` one of the three below must follow.
    verdict ask(time_point now) noexcept {
        if (!shut_) return verdict::pass;
        if (probing_ || now < until_) return verdict::refuse;
        probing_ = true;
        return verdict::probe;
    }
    /// An answer came, of whatever request. True if it was shut until now.
    bool answered() noexcept {
        failures_ = 0;
        probing_ = false;
        pause_.reset();
        const bool was = shut_;
        shut_ = false;
        return was;
    }
    /// None came to a request that was let through. `unit` is a random number in [0, 1). True if it shuts now.
    bool unanswered(time_point now, double unit, bool was_probe) {
        if (most_ == 0) return false;
        if (shut_ && !was_probe) return false;  // it was sent before
        probing_ = false;
        if (!shut_ && ++failures_ < most_) return false;
        until_ = now + pause_.next(now, unit);
        const bool was = shut_;
        shut_ = true;
        return !was;
    }
    /// The probe was given up by whoever sent it: the next request is one.
    void given_up() noexcept { probing_ = false; }

    bool shut() const noexcept { return shut_; }
    /// When the next probe may be sent, while it is shut.
    time_point until() const noexcept { return until_; }

private:
    std::uint32_t most_;
    backoff pause_;
    std::uint32_t failures_ = 0;
    bool shut_ = false, probing_ = false;
    time_point until_{};
};

}  // namespace kcontrol::detail
