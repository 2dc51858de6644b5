// How a work queue decides.
#pragma once

#include <kcontrol/workqueue/rate_limiter.hpp>

#include <functional>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Options of a work queue.
template <class Key>
class workqueue_options {
public:
    using fairness_key = std::function<std::string_view(const Key&)>;  ///< for fair_by(); a namespace, for one

    /// How long keys that failed wait. Default: 5 ms, doubling up to 1000 s.
    workqueue_options& limiter(rate_limiter r) { return limiter_ = std::move(r), *this; }
    /// Keys of one priority whose fairness keys differ take turns, however many there are of each. What it returns
    /// lives as long as the key. Where it throws, the key counts as one of "". Default: none, first in, first out.
    workqueue_options& fair_by(fairness_key f) { return fair_by_ = std::move(f), *this; }
    /// A key that has been ready for so long is handed out although others are more urgent, as one of four. Default
    /// 60 s; zero: never.
    workqueue_options& starvation_limit(duration d) { return starvation_limit_ = d, *this; }
    /// false: all keys are equally urgent, whatever the adds say. Default true.
    workqueue_options& priorities(bool yes) { return priorities_ = yes, *this; }

    const rate_limiter& limiter() const noexcept { return limiter_; }
    const fairness_key& fair_by() const noexcept { return fair_by_; }
    duration starvation_limit() const noexcept { return starvation_limit_; }
    bool priorities() const noexcept { return priorities_; }

private:
    rate_limiter limiter_;
    fairness_key fair_by_;
    duration starvation_limit_ = std::chrono::seconds(60);
    bool priorities_ = true;
};

}  // namespace kcontrol
