// The set-up step of run(): any function that can be one, as a coroutine.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <concepts>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

class manager;

namespace detail {

/// What run() calls. `waits`: it is a coroutine, so time may pass until it has returned.
class setup_step {
public:
    using function = std::function<awaitable<result<void>>(manager&, std::stop_token)>;

    setup_step(function f, bool w) : call(std::move(f)), waits(w) {}

    function call;
    bool waits;
};

/// Calls the step and waits for it. A stop is left to the step for `grace`; then it is left behind. Errors: the step's
/// own, which a stop that it tells of is not; callback_failed (it threw), timeout (it did not return after the stop).
KCONTROL_DECL awaitable<result<void>> run_setup(manager& m, const setup_step& step, duration grace,
                                                std::stop_token stop);

template <class F>
inline constexpr bool setup_takes_stop = std::invocable<F&, manager&, std::stop_token>;

// What F returns: given a manager, or a manager and a stop token.
template <class F, bool Stop = setup_takes_stop<F>>
struct setup_returns : std::invoke_result<F&, manager&> {};
template <class F>
struct setup_returns<F, true> : std::invoke_result<F&, manager&, std::stop_token> {};

template <class T>
struct awaited {
    using type = T;
    static constexpr bool waits = false;
};
template <class T>
struct awaited<awaitable<T>> {
    using type = T;
    static constexpr bool waits = true;
};

template <class T>
struct is_setup_outcome : std::is_void<T> {};
template <class T, class E>
struct is_setup_outcome<basic_result<T, E>> : std::true_type {};

template <class F>
auto call_setup(F& f, manager& m, std::stop_token stop) {
    if constexpr (setup_takes_stop<F>) {
        return f(m, std::move(stop));
    } else {
        return f(m);
    }
}

template <class Outcome>
result<void> setup_outcome(const Outcome& outcome) {
    if (!outcome) return outcome.error();
    return {};
}

template <class F>
awaitable<result<void>> await_setup(F& f, manager& m, std::stop_token stop) {
    using returned = awaited<typename setup_returns<F>::type>;
    constexpr bool nothing = std::is_void_v<typename returned::type>;
    if constexpr (returned::waits && nothing) {
        co_await call_setup(f, m, std::move(stop));
    } else if constexpr (returned::waits) {
        const auto outcome = co_await call_setup(f, m, std::move(stop));
        co_return setup_outcome(outcome);
    } else if constexpr (nothing) {
        call_setup(f, m, std::move(stop));
    } else {
        co_return setup_outcome(call_setup(f, m, std::move(stop)));
    }
    co_return result<void>();
}

/// Refuses, at compile time and in words, a function that is no set-up step; true if it is one.
template <class F>
constexpr bool assert_sets_up() {
    constexpr bool takes_these = std::invocable<F&, manager&> || setup_takes_stop<F>;
    static_assert(takes_these,
                  "kcontrol: run() needs a set-up function that takes (kcontrol::manager&), or (kcontrol::manager&, "
                  "std::stop_token)");
    if constexpr (takes_these) {
        constexpr bool returns_an_outcome =
            is_setup_outcome<typename awaited<typename setup_returns<F>::type>::type>::value;
        static_assert(
            returns_an_outcome,
            "kcontrol: run() needs a set-up function that returns nothing or a kcontrol::result<T>, or, if it "
            "is a coroutine, kcontrol::awaitable<void> or kcontrol::awaitable<kcontrol::result<T>>");
        return returns_an_outcome;
    } else {
        return false;
    }
}

/// The step keeps a reference to f.
template <class F>
setup_step make_setup_step(F& f) {
    return setup_step([&f](manager& m, std::stop_token stop) { return await_setup(f, m, std::move(stop)); },
                      awaited<typename setup_returns<F>::type>::waits);
}

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/setup_step.ipp>
#endif
