#pragma once

#include <kcontrol/controller/daemon.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <chrono>

namespace kcontrol::inline v0_1 {
namespace detail {

inline duration daemon_period(duration asked) { return std::max<duration>(asked, std::chrono::milliseconds(1)); }

inline awaitable<result<void>> run_periodically(duration period, daemon_function f, daemon_context ctx) {
    while (!ctx.stop().stop_requested()) {
        result<void> outcome = co_await f(ctx);
        if (!outcome) co_return outcome;
        const wake why = co_await sleep_for(ctx.env(), period, ctx.stop());
        if (why == wake::stopped) break;
    }
    co_return result<void>();
}

inline awaitable<result<void>> reconcile_each_period(duration period, daemon_context ctx) {
    while (true) {
        const wake why = co_await sleep_for(ctx.env(), period, ctx.stop());
        if (why == wake::stopped) break;
        ctx.reconcile();
    }
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL daemon_function periodically(duration period, daemon_function f) {
    return [period = detail::daemon_period(period), f = std::move(f)](daemon_context ctx) {
        return detail::run_periodically(period, f, std::move(ctx));
    };
}

KCONTROL_DECL daemon_function reconcile_periodically(duration period) {
    return [period = detail::daemon_period(period)](daemon_context ctx) {
        return detail::reconcile_each_period(period, std::move(ctx));
    };
}

}  // namespace kcontrol
