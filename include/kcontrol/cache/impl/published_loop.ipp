#pragma once

#include <kcontrol/cache/detail/handler_progress.hpp>
#include <kcontrol/cache/detail/published_loop.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL published_loop::published_loop(any_informer& from, published_options options)
    : options_(std::move(options)), of_(from.parts()), kind_(from.info().gvk.kind) {}

KCONTROL_DECL published_loop::~published_loop() = default;

KCONTROL_DECL void published_loop::begin(any_informer& from) {
    const auto weak = weak_from_this();
    events_ = from.subscribe(any_event_handler([weak](const any_event& e) {
        if (e.resync) return;  // nothing changed
        if (const auto self = weak.lock()) self->on_event();
    }));
    progress_ = events_.progress_;
    following_ = true;
    status_ = from.on_status_change([weak](const informer_status& status) {
        if (const auto self = weak.lock()) self->on_status(status.synced);
    });
    if (!from.has_synced()) return;
    begun_ = true;
    if (!rebuild()) demand(std::chrono::seconds(1));
}

KCONTROL_DECL void published_loop::end() {
    lifetime_.stop();
    events_.reset();  // which notifies those who wait
    status_.reset();
}

KCONTROL_DECL bool published_loop::over() const { return lifetime_.stopped() || !progress_ || progress_->ended; }

KCONTROL_DECL std::optional<error> published_loop::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
}

inline void published_loop::on_event() {
    if (!following_) return;
    ++seen_;
    if (begun_) demand(options_.quiet_period());
}

// The first list may have no object, and so no event.
inline void published_loop::on_status(bool synced) {
    if (!synced || std::exchange(begun_, true)) return;
    demand(duration());
}

inline void published_loop::demand(duration quiet) {
    if (over() || std::exchange(pending_, true)) return;
    of_.tasks.spawn(run(shared_from_this(), quiet));
}

// Calls the user's function. False where there is no memory for it.
inline bool published_loop::rebuild() {
    bool returned = false;
    try {
        returned = of_.calls.call_or_exhaust(
            "the function of " + options_.name(), [this] { build(of_.objects); },
            [this] { return "all objects of kind " + kind_; });
    } catch (const std::bad_alloc&) {
        failures_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    {
        const std::lock_guard lock(mutex_);
        problem_.reset();
        if (!returned) problem_ = error(errc::callback_failed, of_.calls.last_thrown());
    }
    if (!returned) failures_.fetch_add(1, std::memory_order_relaxed);
    progress_->changed.notify_all();
    return true;
}

// One burst: from its first event to the value that it leads to.
inline awaitable<void> published_loop::run(std::shared_ptr<published_loop> self, duration quiet) {
    environment& env = self->of_.env;
    const auto stop = self->lifetime_.token();
    // The informer is in the midst of what it notifies of.
    const executor ex = self->of_.ex;
    co_await boost::asio::post(ex, boost::asio::use_awaitable);
    const time_point latest = env.now() + std::max(quiet, self->options_.longest_delay());
    while (quiet > duration() && !self->over()) {
        const std::uint64_t before = self->seen_;
        const time_point until = std::min(env.now() + quiet, latest);
        (void)co_await sleep_until(env, until, stop);
        if (self->seen_ == before || env.now() >= latest) break;
    }
    while (!self->over()) {
        self->pending_ = false;  // an event that comes from here on begins the next burst
        if (self->rebuild()) co_return;
        self->pending_ = true;
        (void)co_await sleep_for(env, std::chrono::seconds(1), stop);
    }
    self->pending_ = false;
}

KCONTROL_DECL awaitable<result<void>> published_loop::wait(std::shared_ptr<published_loop> self, std::uint64_t after,
                                                           std::stop_token stop, std::optional<time_point> deadline) {
    const auto progress = self->progress_;
    while (self->version() <= after) {
        const std::string what =
            self->options_.name() + " of kind " + self->kind_ + " has no version beyond " + std::to_string(after);
        if (self->over()) {
            co_return error(errc::unavailable, what + ": it was stopped, or its informer has ended");
        }
        const wake reason = co_await progress->changed.wait(self->of_.env, stop, deadline);
        if (reason == wake::notified || self->version() > after) continue;
        if (reason == wake::stopped) co_return error(errc::stopped, what + " yet, and the wait was stopped");
        const auto problem = self->problem();
        co_return error(errc::timeout, what + " yet" + (problem ? ": " + problem->message() : std::string()));
    }
    co_return result<void>();
}

}  // namespace kcontrol::detail
