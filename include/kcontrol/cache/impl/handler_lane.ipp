#pragma once

#include <kcontrol/cache/detail/delivery.hpp>
#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// Calls of one handler in a row, before others on its executor have their turn.
inline constexpr unsigned calls_in_a_row = 32;

KCONTROL_DECL handler_lane::handler_lane(environment& env, executor home, logger log, event_consumer handler,
                                         const handler_options& options, error_count errors,
                                         std::function<void()> on_news)
    : env_(env),
      home_(std::move(home)),
      ex_(options.run_on() ? options.run_on() : home_),
      name_(options.name()),
      every_version_(options.wants_every_version()),
      handler_(std::move(handler)),
      errors_(std::move(errors)),
      calls_(env, std::move(log)),
      on_news_(std::move(on_news)),
      queue_(every_version_, options.queue_bound()) {}

KCONTROL_DECL void handler_lane::push(any_event event) {
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        queue_.push(std::move(event), env_.now());
    }
    run_if_due();
}

KCONTROL_DECL void handler_lane::push_synced() {
    bool synced = false;
    {
        const std::lock_guard lock(mutex_);
        queue_.push_synced();
        synced = queue_.synced() && !std::exchange(was_synced_, queue_.synced());
    }
    if (synced) on_news_();
}

KCONTROL_DECL void handler_lane::run_if_due() {
    {
        const std::lock_guard lock(mutex_);
        if (running_ || paused_ || closed_ || queue_.empty()) return;
        running_ = true;
    }
    try {
        boost::asio::co_spawn(ex_, run(shared_from_this()), [](std::exception_ptr) {});
    } catch (...) {
        const std::lock_guard lock(mutex_);
        running_ = false;  // there was no memory; the next event tries again
        throw;
    }
}

// There may be none for waiting, either.
inline awaitable<void> wait_for_memory(environment& env) {
    try {
        co_await sleep_for(env, std::chrono::seconds(1), {});
    } catch (const std::bad_alloc&) {
    }
}

inline awaitable<void> handler_lane::run(std::shared_ptr<handler_lane> self) {
    const auto about = [](const any_event& event) { return to_string(event.object().key()); };
    for (unsigned in_a_row = 1;; ++in_a_row) {
        const std::optional<any_event> event = self->take();
        if (!event) co_return;
        const std::uint64_t thrown = self->calls_.thrown();
        bool again = true;
        for (unsigned call = 1; again; ++call) {
            again = false;
            try {
                if (self->handler_.coroutine()) {
                    awaitable<void> handled = self->handler_.coroutine()(*event);
                    co_await std::move(handled);
                } else {
                    self->handler_.function()(*event);
                }
            } catch (const std::bad_alloc&) {
                again = call < most_calls_without_memory && !self->closed();
                if (!again) self->calls_.caught("an event handler", [&] { return about(*event); });
            } catch (...) {
                self->calls_.caught("an event handler", [&] { return about(*event); });
            }
            if (again) co_await wait_for_memory(self->env_);
        }
        *self->errors_ += self->calls_.thrown() - thrown;
        self->told();
        if (in_a_row % calls_in_a_row != 0) continue;
        try {
            co_await boost::asio::post(self->ex_, boost::asio::use_awaitable);
        } catch (const std::bad_alloc&) {
            // It goes on without letting others have their turn.
        }
    }
}

// What it is to be called for now, or nothing: run() has ended then.
KCONTROL_DECL std::optional<any_event> handler_lane::take() {
    std::optional<any_event> out;
    bool was_full = false;
    bool is_full = false;
    {
        const std::lock_guard lock(mutex_);
        was_full = queue_.full();
        if (!closed_ && !paused_) out = queue_.pop();
        is_full = queue_.full();
        running_ = calling_ = out.has_value();
    }
    if (was_full && !is_full) announce();
    return out;
}

KCONTROL_DECL void handler_lane::told() {
    bool news = false;
    {
        const std::lock_guard lock(mutex_);
        queue_.told();
        calling_ = false;
        news = closed_ || unannounced_ || queue_.synced() != std::exchange(was_synced_, queue_.synced());
    }
    if (news) announce();
}

// Where there is no memory for it, the next event that is told announces this, too.
KCONTROL_DECL void handler_lane::announce() {
    bool posted = false;
    try {
        boost::asio::post(home_, [self = shared_from_this()] { self->on_news_(); });
        posted = true;
    } catch (const std::bad_alloc&) {
    }
    const std::lock_guard lock(mutex_);
    unannounced_ = !posted;
}

KCONTROL_DECL void handler_lane::pause() {
    const std::lock_guard lock(mutex_);
    paused_ = true;
}

KCONTROL_DECL void handler_lane::resume() {
    {
        const std::lock_guard lock(mutex_);
        paused_ = false;
    }
    run_if_due();
}

KCONTROL_DECL void handler_lane::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        queue_.clear();
    }
    on_news_();
}

KCONTROL_DECL bool handler_lane::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

KCONTROL_DECL bool handler_lane::full() const {
    const std::lock_guard lock(mutex_);
    return queue_.full();
}

KCONTROL_DECL bool handler_lane::has_synced() const {
    const std::lock_guard lock(mutex_);
    return queue_.synced();
}

KCONTROL_DECL bool handler_lane::idle() const {
    const std::lock_guard lock(mutex_);
    return !calling_;
}

KCONTROL_DECL handler_lag handler_lane::lag() const {
    handler_lag out;
    out.name = name_;
    const time_point now = env_.now();
    const std::lock_guard lock(mutex_);
    out.pending = queue_.pending();
    if (const auto oldest = queue_.oldest(); oldest && *oldest < now) out.oldest_age = now - *oldest;
    out.delivered = queue_.delivered();
    out.coalesced = queue_.coalesced();
    out.full = queue_.times_full();
    out.watch_waits = queue_.full();
    return out;
}

}  // namespace kcontrol::detail
