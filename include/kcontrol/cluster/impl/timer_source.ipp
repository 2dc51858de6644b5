#pragma once

#include <kcontrol/cluster/timer_source.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// A subscription: as long as it lives the timer runs.
struct timer_run {
    explicit timer_run(any_event_handler h) : handler(std::move(h)) {}

    any_event_handler handler;
    scope running;
};

inline duration timer_period(environment& env, const timer_options& options) {
    const double longer = std::max(0.0, options.jitter()) * random_unit(env);
    const duration period = std::max<duration>(options.period(), std::chrono::milliseconds(1));
    return period + std::chrono::duration_cast<duration>(longer * period);
}

inline awaitable<void> run_timer(environment& env, std::weak_ptr<timer_run> of, std::stop_token stop, any_event event,
                                 timer_options options) {
    guarded_calls calls(env, options.log());
    time_point next = env.now();
    if (!options.fire_immediately()) next += timer_period(env, options);
    while (true) {
        const wake why = co_await sleep_until(env, next, stop);
        if (why == wake::stopped) co_return;
        if (const auto present = of.lock()) {
            calls.call(
                "an event handler", [&] { present->handler(event); }, [&] { return options.name(); });
        }
        const duration period = timer_period(env, options);
        next += period;
        if (next <= env.now()) next = env.now() + period;
    }
}

}  // namespace detail

KCONTROL_DECL timer_source::timer_source(environment& env, executor ex, namespaced_name about, timer_options options)
    : env_(&env), ex_(std::move(ex)), event_(generic_event(about)), options_(std::move(options)) {}

KCONTROL_DECL subscription timer_source::subscribe(any_event_handler handler) {
    const auto run = std::make_shared<detail::timer_run>(std::move(handler));
    boost::asio::co_spawn(ex_, detail::run_timer(*env_, run, run->running.token(), event_, options_),
                          boost::asio::detached);
    return subscription(run);
}

KCONTROL_DECL awaitable<bool> timer_source::wait_synced(std::stop_token, std::optional<time_point>) { co_return true; }

KCONTROL_DECL std::string timer_source::describe() const { return options_.name(); }

KCONTROL_DECL std::string timer_source::kind() const { return options_.name(); }

}  // namespace kcontrol
