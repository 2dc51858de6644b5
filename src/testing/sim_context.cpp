#include <kcontrol/testing/sim_context.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/post.hpp>

namespace kcontrol::inline v0_1::testing {

sim_context::sim_context(std::uint64_t seed) : scheduler_(seed), world_(seed ^ 0x5851f42d4c957f2dULL) {}

sim_context::~sim_context() {
    // Destroying a task may make new ones (a coroutine's locals post on their way out).
    while (!ready_.empty() || !timers_.empty()) {
        const auto dying_tasks = std::move(ready_);
        ready_.clear();
        const auto dying_timers = std::exchange(timers_, {});
    }
    shutdown();
    destroy();
}

bool sim_context::run_until(const std::function<bool()>& done, time_point limit) {
    while (!done()) {
        if (ready_.empty()) {
            if (timers_.empty() || timers_.begin()->first.first > limit) return false;
            const auto first = timers_.begin();
            if (first->first.first > now_) now_ = first->first.first;
            mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
            pending_timer due(std::move(first->second));
            timers_.erase(first);
            finish_timer(std::move(due), true);
            continue;
        }
        const std::size_t choice = scheduler_.below(ready_.size());
        mix(choice);
        std::swap(ready_[choice], ready_.back());
        const auto next = std::move(ready_.back());
        ready_.pop_back();
        ++steps_;
        next->run();
    }
    return true;
}

void sim_context::trace(std::string_view remark) {
    for (const char c : remark) mix(static_cast<unsigned char>(c));
}

sim_context::timer_id sim_context::add_timer(time_point when, executor ex,
                                             boost::asio::any_completion_handler<void(bool)> handler) {
    const timer_id key{when, next_timer_++};
    timers_.emplace(std::piecewise_construct, std::forward_as_tuple(key),
                    std::forward_as_tuple(std::move(ex), std::move(handler)));
    return key;
}

void sim_context::cancel_timer(timer_id key) {
    const auto found = timers_.find(key);
    if (found == timers_.end()) return;
    pending_timer ended(std::move(found->second));
    timers_.erase(found);
    finish_timer(std::move(ended), false);
}

void sim_context::finish_timer(pending_timer timer, bool expired) {
    boost::asio::post(timer.ex, boost::asio::append(std::move(timer.handler), expired));
}

void sim_context::mix(std::uint64_t value) {
    digest_ = (digest_ ^ value) * 0x100000001b3ULL;
    digest_ ^= digest_ >> 29;
}

}  // namespace kcontrol::testing
