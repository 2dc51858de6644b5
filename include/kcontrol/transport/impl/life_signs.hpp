// When a peer that says nothing is asked for a sign of life, and when it is taken for dead: no clock, no socket.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// After `idle` without a byte the peer is asked, and has `timeout` to say anything. An `idle` of zero: it never is.
/// Thread-safety: shared objects unsafe.
class life_signs {
public:
    enum class step { wait, ask, dead };

    life_signs(duration idle, duration timeout) noexcept : idle_(idle), timeout_(timeout) {}

    bool watches() const noexcept { return idle_ != duration::zero(); }
    /// Somebody waits for the peer from here on; nobody did before.
    void begin(time_point now) noexcept {
        heard_ = now;
        asked_.reset();
    }
    void heard(time_point now) noexcept { heard_ = now; }

    /// What is to be done at `now`; then again at next().
    step at(time_point now) noexcept {
        if (asked_ && heard_ >= *asked_) asked_.reset();
        if (asked_) return now >= *asked_ + timeout_ ? step::dead : step::wait;
        if (now < heard_ + idle_) return step::wait;
        asked_ = now;
        return step::ask;
    }
    time_point next() const noexcept { return asked_ ? *asked_ + timeout_ : heard_ + idle_; }

    /// What the end of a dead connection is told as.
    error verdict() const {
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_);
        return error(errc::connection_lost, "the connection is dead: nothing came for " +
                                                std::to_string(waited.count()) +
                                                " ms, though the server was asked for a sign of life");
    }

private:
    duration idle_, timeout_;
    time_point heard_{};
    std::optional<time_point> asked_;
};

}  // namespace kcontrol::http::detail
