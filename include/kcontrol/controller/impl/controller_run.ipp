#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// A source that is not synced by then is told.
inline constexpr duration sync_patience = std::chrono::seconds(2);

}  // namespace detail

inline std::stop_token any_controller::impl::begin(const stop_parents& parents, user_task within) {
    state = controller_state::syncing;
    last_error.reset();
    ++generation;
    active_in_term = 0;
    medium_in_term = 0;
    term = std::make_shared<reasoned_stop>(parents);
    tasks = std::make_shared<task_group>(env, ex, log, std::move(within));
    work->restart();
    return term->token().token();
}

inline awaitable<result<void>> any_controller::impl::run(std::shared_ptr<impl> self, stop_parents stop) {
    if (self->state != controller_state::idle) {
        co_return error(errc::invalid_argument, "controller " + self->name + " is running already");
    }
    const executor mine = co_await boost::asio::this_coro::executor;
    const std::stop_token token = self->begin(stop, user_task::of(mine));
    result<void> outcome = co_await self->run_begun(token);
    co_return outcome;
}

inline awaitable<result<void>> any_controller::impl::run_begun(std::stop_token stop) {
    const auto self = shared_from_this();
    const auto current = term;
    if (!journal.reported()) log.info("controller is syncing");  // one that is run again after a failure says so once
    result<void> outcome = subscribe_all(stop);
    if (outcome) outcome = co_await wait_for_sync(stop);
    if (outcome && !stop.stop_requested()) {
        state = controller_state::running;
        tell_started();
        co_await dispatch(stop);
        log.info("controller is stopping", {{"reconciles", std::to_string(active_in_term)}});
    } else if (!outcome) {
        tell_failed(outcome.error());
    }

    state = controller_state::stopping;
    current->stop();
    work->end_daemons();
    for (auto& [id, w] : sources) w.hold.reset();
    work->shut_down();
    const auto mine = tasks;
    const bool drained = co_await mine->join(env.now() + options.graceful_stop_timeout());
    if (!drained && outcome) {
        outcome = error(errc::timeout, "controller " + name + ": " + std::to_string(tasks->awaited()) +
                                           " reconciles and daemons have not returned in time after the stop");
    }
    if (outcome || !drained) {
        log.info(drained ? "controller stopped" : "controller stopped, but reconciles or daemons still run");
    }
    if (!outcome) last_error = outcome.error();
    term.reset();
    state = controller_state::idle;
    state_changed.notify_all();
    co_return outcome;
}

// The run that a stop ends is the one that it waits for: another one may begin as soon as that is over.
inline awaitable<bool> any_controller::impl::stop(std::shared_ptr<impl> self) {
    const executor caller = co_await boost::asio::this_coro::executor;
    const auto ending = self->tasks;
    const std::uint64_t number = self->generation;
    if (ending) ending->exclude(user_task::of(caller));
    if (self->term) self->term->stop();
    while (self->state != controller_state::idle && self->generation == number) {
        co_await self->state_changed.wait(self->env, {});
    }
    if (self->generation != number) co_return ending->awaited() == 0;
    const std::size_t callers = ending ? ending->running() - ending->awaited() : 0;
    co_return self->stats.active_workers + self->daemons->alive == callers;
}

inline awaitable<result<void>> any_controller::impl::wait_for_sync(std::stop_token stop) {
    std::optional<time_point> deadline;
    if (options.cache_sync_timeout() > duration::zero()) deadline = env.now() + options.cache_sync_timeout();
    time_point first_look = env.now() + detail::sync_patience;
    if (deadline) first_look = std::min(first_look, *deadline);
    std::vector<std::shared_ptr<event_source>> present;
    for (const auto& [id, w] : sources) present.push_back(w.source);
    for (const auto& source : present) {
        result<bool> synced = co_await wait_for_source(source, stop, first_look);
        const bool in_time = !deadline || env.now() < *deadline;
        if (synced && !*synced && in_time && !stop.stop_requested()) {
            tell_waiting(*source);
            synced = co_await wait_for_source(source, stop, deadline);
        }
        if (stop.stop_requested()) break;
        if (!synced) co_return synced.error();
        if (!*synced) {
            error failure(errc::timeout,
                          "controller " + name + ": not synced within the cache sync timeout: " + describe(*source));
            co_return failure;
        }
    }
    co_return result<void>();
}

inline void any_controller::impl::tell_waiting(const event_source& source) {
    const auto entry = journal.failed(trouble::waiting, env.now());
    if (entry) log.warning("controller waits for a source", failure_fields("reason", describe(source), *entry));
}

inline void any_controller::impl::tell_failed(const error& why) {
    const auto entry = journal.failed(trouble::failed, env.now());
    if (entry) log.error("controller could not start", failure_fields("error", why.what(), *entry));
}

inline void any_controller::impl::tell_started() {
    std::vector<log_field> fields;
    if (const auto entry = journal.recovered(env.now())) append_recovery_field(fields, *entry);
    log.info("controller started", std::move(fields));
}

}  // namespace kcontrol
