// For functions that return an awaitable, and know the outcome before there is anything to wait for.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

/// An awaitable that is ready: it returns that outcome.
template <class T>
awaitable<T> make_ready(T outcome) {
    co_return std::move(outcome);
}

}  // namespace kcontrol
