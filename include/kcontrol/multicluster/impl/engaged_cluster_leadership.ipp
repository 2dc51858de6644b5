// The controllers of an engaged cluster: which of them run now, and those that run while this process leads.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline result<void> engaged_cluster::impl::take(std::shared_ptr<any_controller> added, bool always) {
    if (!engaged() || built->stopped()) {
        return error(errc::unavailable, "controller " + added->name() + ": the cluster " + name + " is not engaged");
    }
    result<void> taken = controllers.add(added);
    if (!taken) return taken;
    if (always) leadership.in_always.push_back(added);
    run_now(added);
    return {};
}

inline void engaged_cluster::impl::run_now(const std::shared_ptr<any_controller>& one) {
    stop_parents until;
    until.add(built->token(), stop_reason::disengaged);
    if (!leadership.waits(*one)) {
        running->spawn_user_task(run_controller(shared_from_this(), one, until));
    } else if (leadership.tasks && !leadership.stop.stop_requested()) {
        until.add(leadership.stop, stop_reason::lost_leadership);
        leadership.tasks->spawn_user_task(run_controller(shared_from_this(), one, until));
    }
}

// One term of leadership. Who says that it begins waits until this has returned before it says so again.
inline awaitable<void> engaged_cluster::impl::lead(std::shared_ptr<impl> self, std::stop_token stop) {
    const auto group = std::make_shared<task_group>(self->env, self->strand, self->log);
    self->leadership.tasks = group;
    self->leadership.stop = stop;
    for (const auto& one : self->controllers) {
        if (self->leadership.waits(*one) && !self->built->stopped()) self->run_now(one);
    }
    async_event never;
    co_await never.wait(self->env, stop);
    co_await group->join();
    if (self->leadership.tasks == group) self->leadership.tasks.reset();
}

inline awaitable<bool> engaged_cluster::impl::join_controllers(std::shared_ptr<impl> self, time_point deadline) {
    const auto led = self->leadership.tasks;
    bool drained = co_await self->running->join(deadline);
    if (led) {
        const bool led_drained = co_await led->join(deadline);
        drained = drained && led_drained;
    }
    co_return drained;
}

inline void engaged_cluster::impl::forget_controllers() {
    if (board) {
        for (const auto& one : controllers) board->retire(name, one->name(), one->stats());
    }
    controllers.clear();
    leadership.in_always.clear();
}

KCONTROL_DECL awaitable<void> engaged_cluster::lead(std::stop_token stop) { return impl::lead(impl_, std::move(stop)); }

KCONTROL_DECL controller_host& engaged_cluster::always() noexcept { return impl_->leadership.always; }

}  // namespace kcontrol
