#pragma once

#include <kcontrol/controller/controller.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <map>
#include <utility>

namespace kcontrol {
namespace detail {

// A random (version 4) UUID, RFC 9562 §5.4.
inline std::string make_uuid(environment& env) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out;
    std::uint64_t bits = 0;
    for (int i = 0; i < 32; ++i) {
        if (i % 16 == 0) bits = env.random();
        if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
        unsigned digit = static_cast<unsigned>(bits & 15U);
        if (i == 12) digit = 4;
        if (i == 16) digit = 8 | (digit & 3U);
        out += hex[digit];
        bits >>= 4;
    }
    return out;
}

// Triggers a stop source when a reconcile's time is up. Until then it belongs to that reconcile.
class time_limit {
public:
    time_limit(environment& env, const executor& ex, std::stop_token parent, std::optional<duration> limit)
        : within_(std::move(parent)), passed_(std::make_shared<bool>(false)) {
        if (!limit) return;
        timer_ = env.make_timer(ex);
        source_ = std::make_shared<scope>(within_);
        within_ = source_->token();
        timer_->async_wait(env.now() + *limit, [source = source_, passed = passed_](bool expired) {
            if (!expired) return;
            *passed = true;
            source->stop();
        });
    }
    ~time_limit() {
        if (timer_) timer_->cancel();
    }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;

    const std::stop_token& token() const noexcept { return within_; }
    bool passed() const noexcept { return *passed_; }

private:
    std::stop_token within_;
    std::shared_ptr<bool> passed_;
    std::shared_ptr<scope> source_;
    std::unique_ptr<timer> timer_;
};

}  // namespace detail

struct any_controller::impl : std::enable_shared_from_this<any_controller::impl> {
    struct watched {
        std::shared_ptr<event_source> source;
        any_event_handler deliver;
        subscription hold;
    };

    impl(environment& e, executor x, std::string n, std::shared_ptr<detail::work_queue> w, controller_options o)
        : env(e),
          ex(std::move(x)),
          name(std::move(n)),
          options(std::move(o)),
          log(options.log().value_or(logger()).with("controller", name)),
          work(std::move(w)) {
        work->shut_down();  // what is added before the start is dropped
        stats.max_concurrent_reconciles = options.max_concurrent_reconciles();
    }

    std::stop_token begin(std::stop_token parent);
    awaitable<result<void>> run_begun(std::stop_token stop);
    awaitable<result<void>> wait_for_sync(std::stop_token stop);
    awaitable<void> dispatch(std::stop_token stop);
    awaitable<void> reconcile(std::shared_ptr<const detail::work_item> item, std::stop_token stop,
                              std::uint64_t generation);
    void settle(const detail::work_item& item, const result<reconcile_result>& outcome, bool timed_out, bool stopping,
                const logger& named);

    environment& env;
    executor ex;
    std::string name;
    controller_options options;
    logger log;
    std::shared_ptr<detail::work_queue> work;
    std::map<std::uint64_t, watched> sources;
    std::uint64_t last_watch_id = 0;

    controller_state state = controller_state::idle;
    async_event state_changed;
    std::optional<error> last_error;
    std::shared_ptr<scope> term;        // the present run
    std::uint64_t generation = 0;       // counts runs
    std::size_t active_in_term = 0;     // reconciles of the present run
    std::unique_ptr<task_group> tasks;  // the present run's reconciles
    controller_stats stats;
};

KCONTROL_DECL std::string_view to_string(controller_state state) noexcept {
    switch (state) {
    case controller_state::idle: return "idle";
    case controller_state::syncing: return "syncing";
    case controller_state::running: return "running";
    case controller_state::stopping: return "stopping";
    }
    return "unknown";
}

namespace detail {

// An exception is an error like any other: the loop goes on.
inline reconciliation reconcile_guarded(std::shared_ptr<const work_item> item, reconcile_context ctx, bool& threw) {
    std::string text;
    try {
        result<reconcile_result> outcome = co_await item->reconcile(std::move(ctx));
        co_return outcome;
    } catch (const exception& e) {  // result::value() of somebody who prefers exceptions
        co_return e.cause();
    } catch (const std::exception& e) {
        text = e.what();
    } catch (...) {
        text = "an exception of unknown type";
    }
    threw = true;
    co_return error(errc::callback_failed, "the reconciler threw: " + text);
}

}  // namespace detail

inline std::stop_token any_controller::impl::begin(std::stop_token parent) {
    state = controller_state::syncing;
    last_error.reset();
    ++generation;
    active_in_term = 0;
    term = std::make_shared<scope>(std::move(parent));
    tasks = std::make_unique<task_group>(env, ex, log);
    work->restart();
    return term->token();
}

inline awaitable<result<void>> any_controller::impl::run_begun(std::stop_token stop) {
    const auto self = shared_from_this();
    const auto current = term;
    for (auto& [id, w] : sources) {
        if (!stop.stop_requested()) w.hold = w.source->subscribe(w.deliver);
    }
    result<void> outcome = co_await wait_for_sync(stop);
    if (outcome && !stop.stop_requested()) {
        state = controller_state::running;
        log.info("controller started");
        co_await dispatch(stop);
    }

    state = controller_state::stopping;
    current->stop();
    for (auto& [id, w] : sources) w.hold.reset();
    work->shut_down();
    const bool drained = co_await tasks->join(env.now() + options.graceful_stop_timeout());
    if (!drained && outcome) {
        outcome = error(errc::timeout, "controller " + name + ": " + std::to_string(active_in_term) +
                                           " reconciles have not returned in time after the stop");
    }
    log.info(drained ? "controller stopped" : "controller stopped, but reconciles still run");
    if (!outcome) last_error = outcome.error();
    term.reset();
    state = controller_state::idle;
    state_changed.notify_all();
    co_return outcome;
}

inline awaitable<result<void>> any_controller::impl::wait_for_sync(std::stop_token stop) {
    std::optional<time_point> deadline;
    if (options.cache_sync_timeout() > duration::zero()) deadline = env.now() + options.cache_sync_timeout();
    std::vector<std::shared_ptr<event_source>> present;
    for (const auto& [id, w] : sources) present.push_back(w.source);
    for (const auto& source : present) {
        const bool synced = co_await source->wait_synced(stop, deadline);
        if (stop.stop_requested()) break;
        if (!synced) {
            error failure(errc::timeout,
                          "controller " + name + ": not synced within the cache sync timeout: " + source->describe());
            log.error("controller could not start", {{"error", failure.what()}});
            co_return failure;
        }
    }
    co_return result<void>();
}

inline awaitable<void> any_controller::impl::dispatch(std::stop_token stop) {
    while (!stop.stop_requested()) {
        while (active_in_term < options.max_concurrent_reconciles()) {
            auto item = work->take(env.now());
            if (!item) break;
            stats.queue_duration.observe(work->last_wait());
            ++active_in_term;
            tasks->spawn(reconcile(std::move(item), stop, generation));
        }
        std::optional<time_point> deadline;
        if (active_in_term < options.max_concurrent_reconciles()) deadline = work->next_deadline();
        const wake why = co_await work->changed.wait(env, stop, deadline);
        if (why == wake::stopped) break;
    }
}

inline awaitable<void> any_controller::impl::reconcile(std::shared_ptr<const detail::work_item> item,
                                                       std::stop_token stop, std::uint64_t of_generation) {
    const auto self = shared_from_this();
    ++stats.active_workers;
    const time_point begun = env.now();
    std::string id = detail::make_uuid(env);
    const logger named = item->name_in(log).with("reconcileID", id);
    bool threw = false;
    bool timed_out = false;
    result<reconcile_result> outcome = reconcile_result::done();
    {
        detail::time_limit limit(env, ex, stop, options.reconciliation_timeout());
        reconcile_context ctx(env, limit.token(), named, std::move(id), item->retries());
        outcome = co_await detail::reconcile_guarded(item, std::move(ctx), threw);
        timed_out = limit.passed();
    }
    --stats.active_workers;
    if (threw) ++stats.exceptions;
    stats.reconcile_time.observe(env.now() - begun);
    stats.work_duration.observe(env.now() - begun);
    // A reconcile that outlived its run has no say in the next one; it only gives its request back.
    const bool late = of_generation != generation;
    if (!late) --active_in_term;
    settle(*item, outcome, timed_out, late || stop.stop_requested(), named);
    item->done();
    work->changed.notify_one();
}

// Source: controller-runtime, pkg/internal/controller, reconcileHandler.
inline void any_controller::impl::settle(const detail::work_item& item, const result<reconcile_result>& outcome,
                                         bool timed_out, bool stopping, const logger& named) {
    if (!outcome) {
        const error& failure = outcome.error();
        if (stopping) {
            named.debug("reconcile ended by the stop", {{"error", failure.what()}});
            return;
        }
        ++stats.errors;
        if (timed_out) ++stats.timeouts;
        if (failure == errc::terminal) {
            ++stats.terminal_errors;
            named.error("reconcile failed for good", {{"error", failure.what()}});
            return;
        }
        const duration delay = item.requeue_rate_limited(env.now(), random_unit(env));
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(delay).count();
        named.error("reconcile failed", {{"error", failure.what()}, {"retryInMs", std::to_string(milliseconds)}});
        return;
    }
    switch (outcome->type()) {
    case reconcile_result::kind::requeue_after:
        ++stats.requeued_after;
        if (stopping) return;
        item.forget();
        item.requeue_after(env.now() + outcome->delay());
        return;
    case reconcile_result::kind::requeue:
        ++stats.requeued;
        if (stopping) return;
        item.requeue_rate_limited(env.now(), random_unit(env));
        return;
    case reconcile_result::kind::done:
        ++stats.succeeded;
        if (!stopping) item.forget();
        return;
    }
}

KCONTROL_DECL any_controller::any_controller(environment& env, executor ex, std::string name,
                                             std::shared_ptr<detail::work_queue> work, controller_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(name), std::move(work), std::move(options))) {}

KCONTROL_DECL any_controller::~any_controller() {
    if (impl_->term) impl_->term->stop();
}

KCONTROL_DECL const std::string& any_controller::name() const noexcept { return impl_->name; }
KCONTROL_DECL const controller_options& any_controller::options() const noexcept { return impl_->options; }

KCONTROL_DECL awaitable<result<void>> any_controller::run(std::stop_token stop) {
    const auto self = impl_;
    if (self->state != controller_state::idle) {
        co_return error(errc::invalid_argument, "controller " + self->name + " is running already");
    }
    result<void> outcome = co_await self->run_begun(self->begin(std::move(stop)));
    co_return outcome;
}

KCONTROL_DECL void any_controller::start(std::stop_token stop) {
    if (impl_->state != controller_state::idle) return;
    boost::asio::co_spawn(impl_->ex, impl_->run_begun(impl_->begin(std::move(stop))),
                          [self = impl_](std::exception_ptr, const result<void>&) {});
}

KCONTROL_DECL awaitable<bool> any_controller::stop() {
    const auto self = impl_;
    if (self->term) self->term->stop();
    while (self->state != controller_state::idle) co_await self->state_changed.wait(self->env, {});
    co_return self->stats.active_workers == 0;
}

KCONTROL_DECL controller_state any_controller::state() const noexcept { return impl_->state; }
KCONTROL_DECL const std::optional<error>& any_controller::last_error() const noexcept { return impl_->last_error; }

KCONTROL_DECL controller_stats any_controller::stats() const {
    controller_stats out = impl_->stats;
    out.queue_depth = impl_->work->size();
    out.queue_delayed = impl_->work->delayed();
    out.queue_adds = impl_->work->counters().adds;
    out.queue_retries = impl_->work->counters().retries;
    return out;
}

KCONTROL_DECL std::uint64_t any_controller::watch_any(std::shared_ptr<event_source> source, any_event_handler deliver) {
    const std::uint64_t id = ++impl_->last_watch_id;
    auto& added = impl_->sources[id];
    added.source = std::move(source);
    added.deliver = std::move(deliver);
    const bool runs = impl_->state == controller_state::syncing || impl_->state == controller_state::running;
    if (runs) added.hold = added.source->subscribe(added.deliver);
    return id;
}

KCONTROL_DECL void any_controller::unwatch(std::uint64_t watch_id) { impl_->sources.erase(watch_id); }

}  // namespace kcontrol
