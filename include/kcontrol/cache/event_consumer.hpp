// What is called for the events of an informer: a function or a coroutine of the program.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Is called for changes, once an event, in order for each object, on the informer's executor. It must not block; an
/// exception that leaves it is logged and swallowed.
using any_event_handler = std::function<void(const any_event&)>;

/// A handler that is a coroutine: the next event waits until it has returned.
using async_event_handler = std::function<awaitable<void>(const any_event&)>;

/// What is called for events: a function of `const any_event&`, or a coroutine of it that returns `awaitable<void>`.
class event_consumer {
public:
    /// Takes `handler` as it is; one that returns `awaitable<void>` is a coroutine.
    template <class F>
    requires std::is_invocable_v<F&, const any_event&> event_consumer(
        F handler) {  // NOLINT(google-explicit-constructor): so that lambdas are taken as they are
        if constexpr (std::is_same_v<std::invoke_result_t<F&, const any_event&>, awaitable<void>>) {
            coroutine_ = std::move(handler);
        } else {
            function_ = std::move(handler);
        }
    }

    const any_event_handler& function() const noexcept { return function_; }  ///< empty if it is a coroutine
    /// Empty if it is a function.
    const async_event_handler& coroutine() const noexcept { return coroutine_; }

private:
    any_event_handler function_;
    async_event_handler coroutine_;
};

}  // namespace kcontrol
