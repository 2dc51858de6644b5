// A coroutine that a test has started, and what it came to.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

// Shared with the coroutine: a test that gives up leaves it behind, and it may end later.
template <class T>
struct spawned {
    std::optional<T> value;
    std::exception_ptr failure;
    bool done = false;
};

// T need not be default-constructible, which asio::co_spawn() wants of a coroutine's result.
template <class T>
awaitable<void> keep(awaitable<T> work, std::shared_ptr<spawned<T>> out) {
    T value = co_await std::move(work);
    out->value.emplace(std::move(value));
}

struct nothing {};

inline awaitable<nothing> as_value(awaitable<void> work) {
    co_await std::move(work);
    co_return nothing();
}

template <class T>
awaitable<void> drop_value(awaitable<T> work) {
    (void)co_await std::move(work);
}

template <class T>
std::shared_ptr<spawned<T>> spawn(const executor& ex, awaitable<T> work) {
    auto out = std::make_shared<spawned<T>>();
    asio::co_spawn(ex, keep(std::move(work), out), [out](std::exception_ptr failure) {
        out->failure = std::move(failure);
        out->done = true;
    });
    return out;
}

// Rethrows what the coroutine threw; throws if it has not ended.
template <class T>
T take(spawned<T>& from, const char* why_not) {
    if (from.failure) std::rethrow_exception(from.failure);
    if (!from.done) throw std::runtime_error(why_not);
    return std::move(*from.value);
}

}  // namespace kcontrol::testing::detail
