// What a controller does with its queue: takes requests, has them reconciled, and sees to what comes of it.
#pragma once

#include <kcontrol/controller/impl/controller_daemons.ipp>
#include <kcontrol/controller/impl/controller_impl.hpp>
#include <kcontrol/controller/impl/controller_trace.ipp>
#include <kcontrol/controller/impl/time_limit.hpp>
#include <kcontrol/runtime/random_uuid.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// An exception is an error like any other: the loop goes on. In a handler of exceptions only.
inline void end_by_exception(reconcile_end& end) {
    try {
        throw;
    } catch (const exception& e) {  // of result::value(), in a reconciler that uses exceptions
        end.outcome = e.cause();
    } catch (...) {
        end.threw = true;
        end.outcome = error_of_thrown("the reconciler");
    }
}

// On the executor of the reconciler. The item keeps what `work` refers to.
inline awaitable<void> finish_reconcile(reconciliation work, std::shared_ptr<reconcile_end> end,
                                        std::shared_ptr<const work_item> item) {
    try {
        end->outcome = co_await std::move(work);
    } catch (...) {
        end_by_exception(*end);
    }
    static_cast<void>(item);  // kept until here
}

inline awaitable<void> reconcile_guarded(std::shared_ptr<const work_item> item, reconcile_context ctx,
                                         std::optional<executor> where, std::shared_ptr<reconcile_end> end) {
    std::optional<reconciliation> work;
    try {
        work.emplace(item->reconcile(std::move(ctx)));  // runs when it is awaited
    } catch (...) {
        end_by_exception(*end);
    }
    if (!work) co_return;
    awaitable<void> finished = finish_reconcile(std::move(*work), end, std::move(item));
    if (where) {
        // A strand each: what a reconcile waits for may be about to end for two reasons, on two threads of a pool.
        const executor strand = boost::asio::make_strand(*where);
        co_await boost::asio::co_spawn(strand, std::move(finished), boost::asio::use_awaitable);
    } else {
        co_await std::move(finished);
    }
}

}  // namespace detail

// What the client has counted since it was asked last. Another client, after a rotation, begins at nothing.
inline void any_controller::impl::observe_load() {
    if (!pressure || !load) return;
    client_load seen = last_load;
    calls.call("load() of a controller's server", [&] { seen = load(); });
    if (seen.throttled < last_load.throttled || seen.writes < last_load.writes) last_load = {};
    const time_point now = env.now();
    pressure->observe_throttled(now, seen.throttled - last_load.throttled);
    const std::uint64_t writes = seen.writes - last_load.writes;
    if (writes > 0) {
        const duration each = (seen.write_time - last_load.write_time) / static_cast<duration::rep>(writes);
        pressure->observe_write(each, now, writes);
    }
    last_load = seen;
}

inline admission any_controller::impl::admit() const {
    if (!pressure) return {};
    return pressure->admit(env.now(), options.max_concurrent_reconciles(), medium_in_term);
}

// When there may be more to take. Without a free worker it is the end of a reconcile, which notifies.
inline std::optional<time_point> any_controller::impl::next_deadline() const {
    if (active_in_term >= options.max_concurrent_reconciles()) return std::nullopt;
    const admission let = admit();
    std::optional<time_point> first = work->next_deadline(let);
    if (let.allows_all()) return first;
    const std::optional<time_point> relief = pressure->next_change(env.now());
    if (relief && (!first || *relief < *first)) first = relief;
    return first;
}

inline std::shared_ptr<detail::work_item> any_controller::impl::take() {
    observe_load();
    const admission let = admit();
    auto item = work->take(let);
    if (!item) return item;
    const work_class urgency = work_class_of(item->priority());
    // How long it was held back says nothing of how busy the workers are.
    if (pressure && let.allows(urgency)) pressure->observe_wait(urgency, item->waited(), env.now());
    stats.queue_duration.observe(item->waited());
    if (priority_stats* const of = stats_of(item->priority())) of->queue_duration.observe(item->waited());
    ++active_in_term;
    if (urgency == work_class::medium) ++medium_in_term;
    return item;
}

inline awaitable<void> any_controller::impl::dispatch(std::stop_token stop) {
    if (pressure && load) {  // what was before the run is no sign
        calls.call("load() of a controller's server", [&] { last_load = load(); });
    }
    const reasoned_token within = term->token();
    while (!stop.stop_requested()) {
        while (active_in_term < options.max_concurrent_reconciles()) {
            auto item = take();
            if (!item) break;
            tasks->spawn_user_task(reconcile(std::move(item), within, generation));
        }
        const wake why = co_await work->changed.wait(env, stop, next_deadline());
        if (why == wake::stopped) break;
    }
}

inline awaitable<void> any_controller::impl::reconcile(std::shared_ptr<detail::work_item> item, reasoned_token within,
                                                       std::uint64_t of_generation) {
    const auto self = shared_from_this();
    ++stats.active_workers;
    const time_point begun = env.now();
    std::string id = random_uuid(env);
    logger named = log;
    calls.call("add_log_fields()", [&] { named = item->name_in(log); });
    named = named.with("reconcileID", id);
    if (!item->causes().empty()) named = named.with("cause", to_string(item->causes()));
    trace_context under;
    trace_parent span;
    if (trace) {
        under = span_above(*item);
        span = begin_trace(id, under);
        trace_wait(*item, span);
    }
    const auto end = std::make_shared<detail::reconcile_end>();
    const executor mine = co_await boost::asio::this_coro::executor;
    const std::shared_ptr<own_writes> written = follow_writes(mine);
    stop_reason why = stop_reason::none;
    {
        const detail::time_limit limit(env, ex, within, options);
        item->stop_when_gone(limit.stop_of_its_own());
        reconcile_context ctx(env, {}, named, std::move(id), item->retries());
        ctx.daemons(std::make_shared<reconcile_daemons>(weak_from_this(), item, within));
        if (trace) ctx.trace(span);
        if (of_cluster != nullptr) ctx.in_cluster(*of_cluster);
        // Of what is spawned there the writes are this reconcile's, too.
        ctx.stopped_by(limit.token()).home(written ? mine : ex).causes(item->causes()).priority(item->priority());
        co_await detail::reconcile_guarded(item, std::move(ctx), options.run_on(), end);
        why = limit.token().reason();
    }
    --stats.active_workers;
    const duration took = env.now() - begun;
    if (trace) trace_reconcile(*item, span, under, *end, took);
    stats.reconcile_time.observe(took);
    stats.work_duration.observe(took);
    if (priority_stats* const of = stats_of(item->priority())) of->work_duration.observe(took);
    // A reconcile that outlived its run does not count in the next one; it only gives its request back.
    const bool late = of_generation != generation;
    if (!late) --active_in_term;
    if (!late && work_class_of(item->priority()) == work_class::medium) --medium_in_term;
    settle(*item, *end, why, late || within.token().stop_requested(), named);
    if (written && !late && written->pending() > 0) {
        work->changed.notify_one();  // others need not wait
        co_await see_writes(written, within.token(), named);
    }
    item->done();
    work->changed.notify_one();
}

inline std::shared_ptr<own_writes> any_controller::impl::follow_writes(const executor& by) {
    std::shared_ptr<client_cache> behind;
    if (options.read_own_writes() && cache) {
        calls.call("the cache of a controller's client", [&] { behind = cache(); });
    }
    return behind ? behind->follow(by) : nullptr;
}

inline awaitable<void> any_controller::impl::see_writes(std::shared_ptr<own_writes> written, std::stop_token stop,
                                                        logger named) {
    const auto self = shared_from_this();
    ++stats.own_write_waits;
    const auto seen = co_await written->seen(std::move(stop), env.now() + *options.read_own_writes());
    if (seen || seen.error() == errc::stopped) co_return;
    ++stats.own_write_timeouts;
    if (const auto so_often = unseen_told.count(env.now())) {
        named.warning("the cache has not seen in time what the reconcile wrote; the next one does not wait for it",
                      {{"error", seen.error().what()}, {"times", std::to_string(*so_often)}});
    }
}

// Source: controller-runtime, pkg/internal/controller, reconcileHandler.
inline void any_controller::impl::settle(const detail::work_item& item, const detail::reconcile_end& end,
                                         stop_reason why, bool stopping, const logger& named) {
    const result<reconcile_result>& outcome = end.outcome;
    if (!outcome) {
        const error& failure = outcome.error();
        if (stopping) {
            named.debug("reconcile ended by the stop", {{"error", failure.what()}});
            return;
        }
        if (why == stop_reason::deleted) {  // its deletion is an event like any other, and was enqueued
            named.debug("reconcile ended by the deletion of its object", {{"error", failure.what()}});
            item.forget();
            return;
        }
        ++stats.errors;
        if (end.threw) ++stats.exceptions;
        if (why == stop_reason::timeout) ++stats.timeouts;
        // Where there is no client to watch, what fails is all that is known.
        if (pressure && !load && failure == api_errc::too_many_requests) pressure->observe_throttled(env.now());
        if (failure == errc::terminal) {
            ++stats.terminal_errors;
            named.error("reconcile failed for good", {{"error", failure.what()}});
            return;
        }
        const duration delay =
            add_again(item, add_options().rate_limited().priority(item.priority()), cause_type::retry);
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(delay).count();
        named.error("reconcile failed", {{"error", failure.what()}, {"retryInMs", std::to_string(milliseconds)}});
        return;
    }
    const add_options again = add_options().priority(outcome->priority().value_or(item.priority()));
    switch (outcome->type()) {
    case reconcile_result::kind::requeue_after:
        ++stats.requeued_after;
        if (stopping) return;
        item.forget();
        add_again(item, add_options(again).after(outcome->delay()), cause_type::requeue_after);
        return;
    case reconcile_result::kind::requeue:
        ++stats.requeued;
        if (stopping) return;
        add_again(item, add_options(again).rate_limited(), cause_type::requeue);
        return;
    case reconcile_result::kind::done:
        ++stats.succeeded;
        if (!stopping) item.forget();
        return;
    }
}

// A rate limiter of the program may throw: the request waits as it would by default after many failures.
inline duration any_controller::impl::add_again(const detail::work_item& item, add_options how, cause_type why) {
    static constexpr duration wait_of_the_limitless = std::chrono::seconds(10);
    duration delay = wait_of_the_limitless;
    const bool added = calls.call("the rate limiter", [&] { delay = item.add_again(how, why); });
    if (!added) item.add_again(how.rate_limited(false).after(delay), why);
    return delay;
}

}  // namespace kcontrol
