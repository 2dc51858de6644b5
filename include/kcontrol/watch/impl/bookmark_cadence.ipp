#pragma once

#include <kcontrol/watch/detail/bookmark_cadence.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void bookmark_cadence::bookmark(time_point now) {
    const bool at_once = last_ && now - *last_ < std::chrono::seconds(1);
    if (last_ && !at_once && !had_waited_) gaps_[count_++ % gaps_.size()] = now - *last_;
    had_waited_ = at_once;
    last_ = now;
}

KCONTROL_DECL std::optional<duration> bookmark_cadence::period() const {
    if (count_ == 0) return std::nullopt;
    const std::size_t known = std::min(count_, gaps_.size());
    return *std::max_element(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(known));
}

KCONTROL_DECL duration bookmark_cadence::patience(duration most) const {
    const auto learned = period();
    return learned ? std::min(most, std::max(3 * *learned, least_patience)) : most;
}

}  // namespace kcontrol::detail
