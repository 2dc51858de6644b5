// Where the suite runs what starts and stops: in a simulated world, step by step, or on an io_context and the system.
#pragma once

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::test {

using namespace std::chrono_literals;

/// What is asked of a stage: an executor, its environment, and ways to let it run.
class simulated_stage {
public:
    /// How long anything that must end may take.
    static constexpr duration patience = 1min;

    executor ex() { return world.home; }
    environment& env() { return world.env; }

    /// Runs until `done` holds; false if it does not in `limit`.
    bool until(const std::function<bool()>& done, duration limit = patience) {
        return world.world.run_until(done, limit);
    }
    /// Runs the next `n` functions that are ready, as many as there are.
    void steps(std::size_t n) {
        const auto end = world.context.steps() + n;
        until([&] { return world.context.steps() >= end; }, 1s);
    }
    std::size_t steps_done() const { return world.context.steps(); }
    /// Runs as long as anything takes that is about to happen.
    void settle() { world.context.run_for(2s); }

    widget_world world;
};

class real_stage {
public:
    static constexpr duration patience = 1min;

    executor ex() { return context.get_executor(); }
    environment& env() { return system; }

    bool until(const std::function<bool()>& done, duration limit = patience) {
        const auto end = system.now() + limit;
        context.restart();
        while (!done() && system.now() < end) {
            if (context.run_one_for(10ms) != 0) {  // measures: how often it looks
                ++steps_;
            } else {
                context.restart();
            }
        }
        return done();
    }
    void steps(std::size_t n) {
        context.restart();
        for (; n > 0 && context.poll_one() != 0; --n) ++steps_;
    }
    std::size_t steps_done() const { return steps_; }
    void settle() {
        context.restart();
        context.run_for(5ms);  // measures: what comes later is only not seen
    }

    system_environment system;
    boost::asio::io_context context;

private:
    std::size_t steps_ = 0;
};

/// Whether a coroutine has ended. Counts only what ended without an exception.
class ending {
public:
    explicit operator bool() const { return *done_; }
    template <class Stage>
    static ending of(Stage& stage, awaitable<void> work) {
        ending out;
        asio::co_spawn(stage.ex(), std::move(work), [done = out.done_](std::exception_ptr e) { *done = !e; });
        return out;
    }

private:
    std::shared_ptr<bool> done_ = std::make_shared<bool>(false);
};

/// Awaits anything, and drops what it gives.
template <class T>
awaitable<void> drop(awaitable<T> work) {
    co_await std::move(work);
}

}  // namespace kcontrol::test
