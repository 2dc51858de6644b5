#pragma once

#include <kcontrol/cluster/function_source.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1 {

struct function_source::state {
    state(environment& e, executor x, source_function call, function_options o)
        : env(e),
          ex(std::move(x)),
          f(std::move(call)),
          options(std::move(o)),
          log(options.log().with("source", options.name())),
          calls(env, log) {}

    environment& env;
    const executor ex;
    source_function f;
    const function_options options;
    const logger log;
    guarded_calls calls;
    failure_log<error_code> journal;
    std::string trouble;       // why the function failed last; empty while it runs
    std::size_t unsynced = 0;  // subscriptions whose function has not said set_synced()
    async_event changed;
};

// A subscription: as long as it lives the function may run.
struct event_sink::run {
    run(std::shared_ptr<function_source::state> s, any_event_handler h) : of(std::move(s)), handler(std::move(h)) {
        if (of->options.reports_synced()) {
            synced = false;
            ++of->unsynced;
        }
    }
    ~run() {
        running.stop();
        set_synced();
    }
    run(const run&) = delete;
    run& operator=(const run&) = delete;

    void set_synced() {
        if (std::exchange(synced, true)) return;
        if (--of->unsynced == 0) of->changed.notify_all();
    }

    const std::shared_ptr<function_source::state> of;
    const any_event_handler handler;
    bool synced = true;
    scope running;
};

KCONTROL_DECL void event_sink::emit(const any_event& event) const {
    const auto to = of_.lock();
    if (!to || !event.object()) return;
    const auto about = [&event] { return to_string(event.object().key()); };
    to->of->calls.call(
        "an event handler", [&] { to->handler(event); }, about);
}

KCONTROL_DECL void event_sink::set_synced() const {
    if (const auto to = of_.lock()) to->set_synced();
}

inline awaitable<void> function_source::call(std::shared_ptr<state> self, std::weak_ptr<event_sink::run> of,
                                             std::stop_token stop) {
    backoff again(self->options.restart());
    while (!stop.stop_requested()) {
        const time_point begun = self->env.now();
        result<void> outcome;
        try {
            event_sink sink(of);
            outcome = co_await self->f(sink, stop);
        } catch (...) {
            outcome = error_of_thrown("the function of a source");
        }
        if (outcome || stop.stop_requested()) co_return;
        self->trouble = outcome.error().what();
        const time_point now = self->env.now();
        if (now - begun >= self->options.restart().reset_after()) static_cast<void>(self->journal.recovered(now));
        const auto entry = self->journal.failed(outcome.error().code(), now);
        if (entry) self->log.error("the function of a source failed", failure_fields("error", self->trouble, *entry));
        const duration delay = again.next(now, random_unit(self->env));
        co_await sleep_for(self->env, delay, stop);
        self->trouble.clear();
    }
}

KCONTROL_DECL function_source::function_source(environment& env, executor ex, source_function f,
                                               function_options options)
    : state_(std::make_shared<state>(env, std::move(ex), std::move(f), std::move(options))) {}

KCONTROL_DECL function_source::~function_source() = default;

KCONTROL_DECL subscription function_source::subscribe(any_event_handler handler) {
    const auto run = std::make_shared<event_sink::run>(state_, std::move(handler));
    boost::asio::co_spawn(state_->ex, call(state_, run, run->running.token()), boost::asio::detached);
    return subscription(run);
}

KCONTROL_DECL awaitable<bool> function_source::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    const auto self = state_;
    while (self->unsynced != 0) {
        const wake why = co_await self->changed.wait(self->env, stop, deadline);
        if (why != wake::notified) co_return false;
    }
    co_return true;
}

KCONTROL_DECL std::string function_source::describe() const {
    std::string out = state_->options.name();
    if (!state_->trouble.empty()) return out + ": " + state_->trouble;
    if (state_->unsynced != 0) out += ", whose function has not said set_synced()";
    return out;
}

KCONTROL_DECL std::string function_source::kind() const { return state_->options.name(); }

}  // namespace kcontrol
