// Running a coroutine in a test: exceptions, doctest's included, reach the test.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <utility>

namespace kcontrol::test {

/// Runs a coroutine to its end on a context of its own loop; other work of the context goes on beside it.
inline void run(boost::asio::io_context& context, awaitable<void> task) {
    bool done = false;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr e) {
        done = true;
        failure = std::move(e);
    });
    context.restart();
    while (!done && context.run_one() != 0) {
    }
    if (failure) std::rethrow_exception(failure);
    REQUIRE(done);
}

/// Starts a coroutine that the test drives by hand; an exception that leaves it is rethrown by the context.
inline void start(boost::asio::io_context& context, awaitable<void> task) {
    boost::asio::co_spawn(context, std::move(task), [](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
    });
}

}  // namespace kcontrol::test
