// How often something is logged that others can make happen as often as they like.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Says when a line is due: at once, and then once a period at most, with how often it happened since the line before.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class log_rate_limit {
public:
    /// No two lines are due within a period.
    explicit log_rate_limit(duration period = std::chrono::seconds(10)) : period_(period) {}

    /// It has happened. A number: a line is due, about so many.
    std::optional<std::uint64_t> count(time_point now) {
        ++since_;
        if (last_ && now - *last_ < period_) return std::nullopt;
        last_ = now;
        return std::exchange(since_, 0);
    }

private:
    duration period_;
    std::optional<time_point> last_;
    std::uint64_t since_ = 0;
};

}  // namespace kcontrol
