#pragma once

#include <kcontrol/cache/detail/handler_progress.hpp>
#include <kcontrol/cache/subscription.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline bool handler_synced(const handler_progress& of) {
    for (const auto& part : of.parts) {
        if (!handler_synced(*part)) return false;
    }
    return (of.synced && !of.ended) || !of.parts.empty();
}

inline awaitable<bool> wait_handler_synced(std::shared_ptr<handler_progress> of, std::stop_token stop,
                                           std::optional<time_point> deadline) {
    const auto parts = of->parts;
    for (const auto& part : parts) {
        const bool synced = co_await wait_handler_synced(part, stop, deadline);
        if (!synced) co_return false;
    }
    while (parts.empty() && !of->synced && !of->ended) {
        const wake reason = co_await of->changed.wait(*of->env, stop, deadline);
        if (reason != wake::notified) break;
    }
    co_return handler_synced(*of);
}

inline awaitable<bool> wait_handler_idle(std::shared_ptr<handler_progress> of, std::optional<time_point> deadline) {
    if (!of) co_return true;
    const auto parts = of->parts;
    for (const auto& part : parts) {
        const bool idle = co_await wait_handler_idle(part, deadline);
        if (!idle) co_return false;
    }
    while (of->lane && !of->lane->idle()) {
        const wake reason = co_await of->changed.wait(*of->env, {}, deadline);
        if (reason == wake::timeout) co_return of->lane->idle();
    }
    co_return true;
}

inline awaitable<bool> handler_known_synced(bool known) { co_return known; }

inline void add_lag(handler_lag& to, const handler_progress& of) {
    for (const auto& part : of.parts) add_lag(to, *part);
    if (!of.lane) return;
    const handler_lag one = of.lane->lag();
    to.name = one.name;
    to.add(one);
}

}  // namespace detail

KCONTROL_DECL subscription subscription::all_of(std::vector<subscription> parts) {
    auto progress = std::make_shared<detail::handler_progress>();
    for (const auto& one : parts) {
        if (one.progress_) progress->parts.push_back(one.progress_);
    }
    const bool known = progress->parts.size() == parts.size() && !parts.empty();
    auto hold = std::make_shared<std::vector<subscription>>(std::move(parts));
    return subscription(std::move(hold), known ? std::move(progress) : nullptr);
}

KCONTROL_DECL bool subscription::has_synced() const {
    if (!hold_) return false;
    return !progress_ || detail::handler_synced(*progress_);
}

KCONTROL_DECL awaitable<bool> subscription::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    if (!hold_ || !progress_) return detail::handler_known_synced(has_synced());
    return detail::wait_handler_synced(progress_, std::move(stop), deadline);
}

KCONTROL_DECL awaitable<bool> subscription::end(std::optional<time_point> deadline) {
    hold_.reset();
    return detail::wait_handler_idle(progress_, deadline);
}

KCONTROL_DECL handler_lag subscription::lag() const {
    handler_lag out;
    if (progress_) detail::add_lag(out, *progress_);
    return out;
}

}  // namespace kcontrol
