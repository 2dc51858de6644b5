// When a handler is to get every object again: a plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <optional>

namespace kcontrol::inline v0_1::detail {

/// The period of one handler. A pass that comes late moves those after it: there is a period between two of them.
class resync_schedule {
public:
    resync_schedule() = default;  ///< never
    /// The first after a period; never if there is none.
    resync_schedule(duration period, time_point now) : period_(period) {
        if (period > duration::zero()) next_ = now + period;
    }

    /// Whether the handler is due. The next is then a period later.
    bool take_due(time_point now) {
        if (!next_ || now < *next_) return false;
        next_ = now + period_;
        return true;
    }
    /// When the handler is due next.
    const std::optional<time_point>& next() const noexcept { return next_; }

private:
    duration period_{};
    std::optional<time_point> next_;
};

}  // namespace kcontrol::detail
