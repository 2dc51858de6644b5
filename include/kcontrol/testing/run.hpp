// Running a coroutine in a test: on an io_context, in real time or in that of a manual_environment.
#pragma once

#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/detail/spawned.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <utility>

namespace kcontrol::inline v0_1::testing {

/// Runs `work` to its end on `context`, from the calling thread, and returns its value. Other work of the context goes
/// on beside it until then. What `work` throws, a test framework's assertion included, is thrown here. Throws
/// std::runtime_error if nothing happens on the context for `patience` of real time: what `work` waits for never comes.
///
/// Thread-safety: nobody else runs the context meanwhile. Object lifetime: what `work` refers to outlives the context
/// if this throws.
template <class T>
T run(boost::asio::io_context& context, awaitable<T> work, duration patience = std::chrono::minutes(1)) {
    const auto started = detail::spawn<T>(context.get_executor(), std::move(work));
    context.restart();
    while (!started->done && context.run_one_for(patience) != 0) {
    }
    return detail::take(*started, "testing::run(): the coroutine waits for something that never comes");
}

inline void run(boost::asio::io_context& context, awaitable<void> work, duration patience = std::chrono::minutes(1)) {
    run(context, detail::as_value(std::move(work)), patience);
}

/// The same in virtual time: whenever nothing else is left to do, time moves on to the next timer of `env`. Throws
/// std::runtime_error if there is none.
template <class T>
T run(boost::asio::io_context& context, manual_environment& env, awaitable<T> work) {
    const auto started = detail::spawn<T>(context.get_executor(), std::move(work));
    manual_environment::run_ready(context);
    while (!started->done) {
        const auto next = env.next_timer();
        if (!next) break;
        env.advance(*next - env.now(), context);
    }
    return detail::take(*started, "testing::run(): the coroutine waits for something that never comes");
}

inline void run(boost::asio::io_context& context, manual_environment& env, awaitable<void> work) {
    run(context, env, detail::as_value(std::move(work)));
}

/// Starts a coroutine that the test drives by running the context itself. What it throws leaves the context's run().
inline void start(boost::asio::io_context& context, awaitable<void> work) {
    asio::co_spawn(context, std::move(work), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
}

}  // namespace kcontrol::testing
