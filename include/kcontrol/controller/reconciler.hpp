// The reconciler: the user's function that brings the actual state closer to the desired state of an object.
#pragma once

#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/model/any_object.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Called once for each request that is due, on the controller's executor, never twice at once for the same request.
/// An exception that leaves it counts as an error. The function object stays alive while its coroutines run, so a
/// coroutine lambda held by a reconciler may capture.
template <class Request>
using reconciler = std::function<reconciliation(reconcile_context, Request)>;

namespace detail {

template <class F, class... Args>
reconciliation call_plain(F& f, Args... args) {
    result<reconcile_result> outcome = f(std::move(args)...);
    co_return outcome;
}

template <class F, class... Args>
reconciliation call_until_done(F& f, Args... args) {
    const result<void> outcome = co_await f(std::move(args)...);
    if (!outcome) co_return outcome.error();
    co_return reconcile_result::done();
}

// Calls f, whether it is a coroutine or a plain function. The caller keeps f alive until the coroutine has returned.
template <class F, class... Args>
reconciliation call_reconciler(F& f, Args... args) {
    if constexpr (std::convertible_to<std::invoke_result_t<F&, Args...>, reconciliation>) {
        return f(std::move(args)...);
    } else if constexpr (std::convertible_to<std::invoke_result_t<F&, Args...>, awaitable<result<void>>>) {
        return call_until_done<F, Args...>(f, std::move(args)...);
    } else {
        return call_plain<F, Args...>(f, std::move(args)...);
    }
}

}  // namespace detail

/// A function that a controller can call with a context and a request (or, behind a builder, an object, or both): a
/// coroutine that returns `reconciliation`, or `awaitable<result<void>>` if it never asks for another reconcile, or a
/// plain one that returns reconcile_result or result<reconcile_result>.
template <class F, class... Args>
concept reconciles = std::invocable<F&, reconcile_context, Args...> &&
    (std::convertible_to<std::invoke_result_t<F&, reconcile_context, Args...>, reconciliation> ||
     std::convertible_to<std::invoke_result_t<F&, reconcile_context, Args...>, awaitable<result<void>>> ||
     std::convertible_to<std::invoke_result_t<F&, reconcile_context, Args...>, result<reconcile_result>>);

namespace detail {

/// Refuses, at compile time and in words, a function that a builder can't make a reconciler of.
template <class F, class Request, class Object>
constexpr void assert_reconciles() {
    constexpr bool takes_these = std::invocable<F&, reconcile_context, Request> ||
                                 std::invocable<F&, reconcile_context, Object> ||
                                 std::invocable<F&, reconcile_context, Request, Object>;
    static_assert(takes_these,
                  "kcontrol: complete() needs a function that takes (kcontrol::reconcile_context, kcontrol::request), "
                  "or (kcontrol::reconcile_context, std::shared_ptr<const T>) where the builder says for_<T>(), or all "
                  "three");
    constexpr bool returns_an_outcome =
        !takes_these || reconciles<F, Request> || reconciles<F, Object> || reconciles<F, Request, Object>;
    static_assert(
        returns_an_outcome,
        "kcontrol: complete() needs a function that returns kcontrol::reconciliation, or "
        "kcontrol::awaitable<kcontrol::result<void>>, if it is a coroutine, and kcontrol::reconcile_result or "
        "kcontrol::result<kcontrol::reconcile_result> if it is none");
}

}  // namespace detail

/// A reconciler from any function that can be one.
template <class Request, reconciles<Request> F>
reconciler<Request> make_reconciler(F f) {
    return [f = std::move(f)](reconcile_context ctx, Request req) mutable {
        return detail::call_reconciler<F, reconcile_context, Request>(f, std::move(ctx), std::move(req));
    };
}

}  // namespace kcontrol
