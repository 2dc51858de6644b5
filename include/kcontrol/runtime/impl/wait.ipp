#pragma once

#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

using wake_handler = boost::asio::any_completion_handler<void(wake)>;

// One coroutine that waits. Whichever of notification, timer and stop comes first completes it; the others
// find no handler. Touched on its executor only: the stop callback, which may run on any thread, just posts.
struct waiter : std::enable_shared_from_this<waiter> {
    explicit waiter(executor ex) : ex_(std::move(ex)), work_(ex_) {}
    ~waiter() {
        if (event_) event_->waiters_.erase(position_);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    void start(environment& env, const std::stop_token& stop, std::optional<time_point> deadline,
               wake_handler handler) {
        handler_.emplace(std::move(handler));
        if (deadline) {
            timer_ = env.make_timer(ex_);
            // The pending timer keeps a waiter alive, and goes with its context; complete() cancels it.
            timer_->async_wait(*deadline, [self = shared_from_this()](bool expired) {
                if (expired) self->complete(wake::timeout);
            });
        } else {
            self_ = shared_from_this();  // until complete(), which its event calls at the latest
        }
        if (stop.stop_possible()) {
            on_stop_.emplace(stop, [weak = weak_from_this(), ex = ex_] {
                boost::asio::post(ex, [weak] {
                    if (auto self = weak.lock()) self->complete(wake::stopped);
                });
            });
        }
    }

    void complete(wake reason) {
        if (!handler_) return;
        const auto keep_alive = shared_from_this();
        self_.reset();
        wake_handler handler(std::move(*handler_));
        handler_.reset();
        if (event_) event_->waiters_.erase(position_);
        event_ = nullptr;
        on_stop_.reset();
        if (timer_) timer_->cancel();
        // ex_ is the handler's own executor; asked for it with its type erased, it would be allocated twice.
        boost::asio::post(ex_, [h = std::move(handler), reason]() mutable { std::move(h)(reason); });
        work_.reset();
    }

    executor ex_;
    boost::asio::executor_work_guard<executor> work_;
    std::optional<wake_handler> handler_;
    std::unique_ptr<timer> timer_;
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
    std::shared_ptr<waiter> self_;
    async_event* event_ = nullptr;
    std::list<waiter*>::iterator position_;
};

// A named function object, not a lambda: g++ 12 destroys capturing lambda temporaries of a co_await twice.
struct start_wait {
    std::shared_ptr<waiter> target;
    environment* env;
    std::stop_token stop;
    std::optional<time_point> deadline;

    start_wait(std::shared_ptr<waiter> w, environment& e, std::stop_token s, std::optional<time_point> d)
        : target(std::move(w)), env(&e), stop(std::move(s)), deadline(d) {}

    template <class Handler>
    void operator()(Handler&& handler) {
        // The coroutine's frame keeps this object until it resumes: holding the waiter, which holds the frame, would be
        // a cycle that leaks when the executor's context is destroyed first.
        const auto owned = std::move(target);
        owned->start(*env, stop, deadline, wake_handler(std::forward<Handler>(handler)));
    }
};

}  // namespace detail

KCONTROL_DECL async_event::~async_event() {
    while (!waiters_.empty()) waiters_.front()->complete(wake::stopped);
}

KCONTROL_DECL void async_event::notify_one() {
    if (waiters_.empty()) return;
    waiters_.front()->complete(wake::notified);
}

KCONTROL_DECL void async_event::notify_all() {
    std::vector<std::shared_ptr<detail::waiter>> present;  // a notified one may wait again before this loop ends
    for (auto* const one : waiters_) present.push_back(one->shared_from_this());
    for (const auto& one : present) one->complete(wake::notified);
}

KCONTROL_DECL awaitable<wake> async_event::wait(environment& env, std::stop_token stop,
                                                std::optional<time_point> deadline) {
    if (stop.stop_requested()) co_return wake::stopped;
    auto target = std::make_shared<detail::waiter>(co_await boost::asio::this_coro::executor);
    target->event_ = this;
    target->position_ = waiters_.insert(waiters_.end(), target.get());
    detail::start_wait initiation(std::move(target), env, std::move(stop), deadline);
    const wake reason = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(wake)>(
        std::move(initiation), boost::asio::use_awaitable);
    co_return reason;
}

KCONTROL_DECL awaitable<wake> sleep_until(environment& env, time_point when, std::stop_token stop) {
    if (stop.stop_requested()) co_return wake::stopped;
    auto target = std::make_shared<detail::waiter>(co_await boost::asio::this_coro::executor);
    detail::start_wait initiation(std::move(target), env, std::move(stop), when);
    const wake reason = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void(wake)>(
        std::move(initiation), boost::asio::use_awaitable);
    co_return reason;
}

KCONTROL_DECL awaitable<wake> sleep_for(environment& env, duration delay, std::stop_token stop) {
    return sleep_until(env, env.now() + delay, std::move(stop));
}

}  // namespace kcontrol
