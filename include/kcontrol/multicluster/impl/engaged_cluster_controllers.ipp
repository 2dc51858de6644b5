// The controllers of an engaged cluster.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline result<void> engaged_cluster::impl::take(std::shared_ptr<any_controller> added, run_group group) {
    if (!engaged()) {
        return error(errc::unavailable, "controller " + added->name() + ": the cluster " + name + " is not engaged");
    }
    return groups.add(added, group, [this, added](std::stop_token led) {
        stop_parents until;
        until.add(built->token(), stop_reason::disengaged).add(std::move(led), stop_reason::lost_leadership);
        return run_controller(shared_from_this(), added, std::move(until));
    });
}

inline awaitable<void> engaged_cluster::impl::run_controller(std::shared_ptr<impl> self,
                                                             std::shared_ptr<any_controller> one,
                                                             stop_parents parents) {
    const reasoned_stop until(parents);
    while (!until.stopped()) {
        const result<void> outcome = co_await one->run(until.token());
        const bool again = !outcome && (outcome.error() == errc::timeout || outcome.error() == errc::callback_failed);
        if (!again) co_return;
        co_await sleep_for(self->env, self->options->informers().probe_period(), until.token().token());
    }
}

inline awaitable<void> engaged_cluster::impl::lead(std::shared_ptr<impl> self, std::stop_token stop) {
    co_await self->groups.lead(std::move(stop));
}

inline void engaged_cluster::impl::discard_controllers() {
    if (board) {
        for (const auto& one : groups.controllers()) board->retire(name, one->name(), one->stats());
    }
    groups.clear();
}

KCONTROL_DECL result<void> engaged_cluster::add(std::shared_ptr<any_controller> added) {
    return impl_->take(std::move(added), run_group::leading);
}

KCONTROL_DECL awaitable<void> engaged_cluster::lead(std::stop_token stop) { return impl::lead(impl_, std::move(stop)); }

KCONTROL_DECL controller_host& engaged_cluster::always() noexcept { return impl_->always; }

}  // namespace kcontrol
