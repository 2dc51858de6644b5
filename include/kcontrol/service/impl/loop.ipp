#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/service/detail/loop.hpp>
#include <kcontrol/service/detail/waking_executor.hpp>
#include <kcontrol/service/impl/loop_linux.ipp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

namespace kcontrol::inline v0_1::service::detail {

// So many steps in one dispatch(): what always has more to do must not keep the program from its own loop.
inline constexpr std::size_t most_steps = 4096;

inline executor executor_of(boost::asio::io_context& context, bool own_thread, loop& target) {
    if (own_thread) return context.get_executor();
    using below = boost::asio::io_context::executor_type;
    return waking_executor<below, loop>(context.get_executor(), target);
}

inline error loop_stopped() { return error(errc::stopped, "the connection was stopped"); }

inline error inside_of_loop(const char* what) {
    return error(errc::invalid_argument, std::string(what) +
                                             " from within a callback or coroutine of this connection would wait for "
                                             "itself: await the same there, or call it from elsewhere");
}

KCONTROL_DECL loop::loop(bool own_thread, logger log)
    : own_thread_(own_thread),
      log_(std::move(log)),
      executor_(executor_of(context_, own_thread, *this)),
      work_(executor_),
      waker_(context_) {}

KCONTROL_DECL loop::~loop() { stop(); }

KCONTROL_DECL result<void> loop::open() { return own_thread_ ? start_thread() : open_waker(); }

KCONTROL_DECL bool loop::inside() const noexcept {
    return const_cast<context&>(context_).get_executor().running_in_this_thread();
}

KCONTROL_DECL void loop::poke() noexcept {
    if (!inside()) wake();
}

// What a handler throws ends that handler alone.
inline std::size_t loop::run_one(const std::function<std::size_t()>& step) {
    try {
        return step();
    } catch (...) {
        log_.error("a callback threw", {{"error", describe_thrown()}});
        return 1;
    }
}

inline std::size_t loop::run_ready() {
    std::size_t ran = 0;
    while (ran < most_steps && run_one([this] { return context_.poll_one(); }) != 0) ++ran;
    // Else nothing is ready, and what comes from another thread wakes by itself.
    if (ran == most_steps) wake();
    return ran;
}

KCONTROL_DECL result<std::size_t> loop::dispatch(std::optional<duration> timeout) {
    if (own_thread_) {
        return error(errc::invalid_argument,
                     "this connection has a thread of its own, which runs the loop: dispatch() is for one that was "
                     "opened with connection_options::thread(false)");
    }
    if (timeout && *timeout < duration::zero()) {
        return error(errc::invalid_argument, "the timeout of dispatch() is negative: leave it out to wait without end");
    }
    if (inside()) return inside_of_loop("dispatch()");
    // One that ends no clock can count is none.
    if (timeout && *timeout > std::chrono::hours(24 * 365)) timeout.reset();
    std::unique_lock lock(mutex_);
    const auto may_run = [this] { return ended_ || may_drive(); };
    if (!timeout) {
        changed_.wait(lock, may_run);
    } else if (!changed_.wait_for(lock, *timeout, may_run)) {
        return std::size_t{0};
    }
    if (ended_) return loop_stopped();
    driven_ = true;
    lock.unlock();
    std::size_t ran = run_ready();
    if (ran == 0 && timeout != duration::zero()) {
        ran = run_one([&] { return timeout ? context_.run_one_for(*timeout) : context_.run_one(); });
        if (ran != 0) ran += run_ready();
    }
    lock.lock();
    driven_ = false;
    changed_.notify_all();
    return ran;
}

KCONTROL_DECL result<void> loop::run(const std::function<awaitable<void>()>& step) {
    if (inside()) return inside_of_loop("waiting");
    const auto out = std::make_shared<pending>();
    std::unique_lock lock(mutex_);
    if (ended_) return loop_stopped();
    boost::asio::co_spawn(executor_, step, [this, out](std::exception_ptr failure) {
        const std::lock_guard ending(mutex_);
        out->failure = std::move(failure);
        out->done = true;
        changed_.notify_all();
    });
    run_until(out->done, lock);
    if (!out->done) return loop_stopped();
    if (!out->failure) return {};
    try {
        std::rethrow_exception(out->failure);
    } catch (...) {
        return error(errc::unavailable, describe_thrown());
    }
}

// `lock` holds the mutex, which guards `done`. Another thread that runs the loop may end first; then this one goes on.
inline void loop::run_until(const bool& done, std::unique_lock<std::mutex>& lock) {
    for (;;) {
        changed_.wait(lock, [&] { return done || ended_ || may_drive(); });
        if (done || ended_) return;
        driven_ = true;
        while (!done && !closing_) {
            lock.unlock();
            run_one([this] { return context_.run_one(); });
            lock.lock();
        }
        driven_ = false;
        changed_.notify_all();
        wake();  // something may be ready that nobody has run
    }
}

KCONTROL_DECL result<void> loop::start_part(const std::shared_ptr<loop_part>& part) {
    result<void> started;
    const auto step = [&]() -> awaitable<void> {
        if (stopping_) {
            started = loop_stopped();
            co_return;
        }
        started = part->start();
        if (started) {
            parts_.push_back(part);
        } else {
            part->destroy();
        }
    };
    auto ran = run(step);
    if (!ran) return ran;
    return started;
}

// A part ends once, whoever asks for it; the others wait for that.
inline awaitable<void> loop::end_part(std::shared_ptr<loop_part> part) {
    if (!std::exchange(part->ending, true)) {
        try {
            co_await part->stop();
        } catch (...) {
            log_.error("a part of a connection can't be stopped", {{"error", describe_thrown()}});
        }
        part->ended = true;
        std::erase(parts_, part);
        part_ended_.notify_all();
    }
    while (!part->ended) co_await part_ended_.wait(env_, {});
}

inline awaitable<void> loop::end_and_destroy(std::shared_ptr<loop> self, std::shared_ptr<loop_part> part) {
    co_await self->end_part(part);
    part->destroy();
}

KCONTROL_DECL void loop::stop_part(const std::shared_ptr<loop_part>& part, bool destroy) {
    if (inside()) {
        auto ending = destroy ? end_and_destroy(shared_from_this(), part) : end_part(part);
        boost::asio::co_spawn(executor_, std::move(ending), boost::asio::detached);
        return;
    }
    const auto step = [&]() -> awaitable<void> {
        co_await end_part(part);
        if (destroy) part->destroy();
    };
    // After the end of the loop nothing of it runs any more.
    if (!run(step) && destroy) part->destroy();
}

inline awaitable<void> loop::end_all() {
    stopping_ = true;
    while (!parts_.empty()) {
        const auto last = parts_.back();
        co_await end_part(last);
    }
    if (client_) client_->close();
    close_waker();
}

KCONTROL_DECL void loop::stop() {
    if (inside()) return;
    const auto step = [this]() -> awaitable<void> { return end_all(); };
    static_cast<void>(run(step));
    std::unique_lock lock(mutex_);
    if (std::exchange(closing_, true)) {  // another thread does the rest
        changed_.wait(lock, [this] { return ended_; });
        return;
    }
    context_.stop();
    if (thread_) {
        lock.unlock();
        thread_->join();
        lock.lock();
        driven_ = false;
    }
    changed_.wait(lock, [this] { return !driven_; });
    // Pending work is destroyed while those who wait in run() still wait: it may refer to what is on their stacks.
    lock.unlock();
    work_.reset();
    context_.shutdown();
    lock.lock();
    ended_ = true;
    changed_.notify_all();
}

}  // namespace kcontrol::service::detail
