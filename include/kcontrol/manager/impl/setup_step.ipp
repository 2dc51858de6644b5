#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/manager/detail/setup_step.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <memory>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// What outlives a step that is left behind.
struct setup_run {
    result<void> outcome;
    bool done = false;
    async_event returned;
};

inline awaitable<void> run_setup_step(setup_step step, manager& m, std::stop_token stop,
                                      std::shared_ptr<setup_run> into) {
    try {
        into->outcome = co_await step.call(m, std::move(stop));
    } catch (...) {
        into->outcome = error_of_thrown("the set-up step");
    }
    into->done = true;
    into->returned.notify_all();
}

KCONTROL_DECL awaitable<result<void>> run_setup(manager& m, const setup_step& step, duration grace,
                                                std::stop_token stop) {
    environment& env = m.env();
    const auto run = std::make_shared<setup_run>();
    task_group tasks(env, m.get_executor(), m.log());
    tasks.spawn(run_setup_step(step, m, stop, run));
    while (!run->done && !stop.stop_requested()) co_await run->returned.wait(env, stop);
    const time_point deadline = env.now() + grace;
    const bool returned = co_await tasks.join(deadline);
    if (!returned) co_return error(errc::timeout, "the set-up step has not returned in time after the stop");
    const bool only_stopped = !run->outcome && run->outcome.error() == errc::stopped && stop.stop_requested();
    if (only_stopped) co_return result<void>();
    co_return run->outcome;
}

}  // namespace kcontrol::detail
