// What becomes of a cluster whose caches are over its budget: it is retried after a backoff.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline backoff_policy engaged_cluster::impl::budget_backoff(const multicluster_options& options) {
    return backoff_policy()
        .initial(options.budget().retry_backoff())
        .cap(std::chrono::hours(1))
        .jitter(0.1)
        .reset_after(std::chrono::hours(2));
}

// Called by what would end by it, so that it ends later.
inline void engaged_cluster::impl::back_off_if_over_budget(const std::vector<informer_report>& held) {
    if (!config || disengaging || ending_over_budget) return;
    auto why = options->budget().exceeded_by(held);
    if (!why) return;
    ending_over_budget = true;
    over_budget = std::make_shared<const auth::cluster_config>(*config);
    boost::asio::co_spawn(strand, back_off(shared_from_this(), std::move(*why)), boost::asio::detached);
}

inline awaitable<void> engaged_cluster::impl::back_off(std::shared_ptr<impl> self, error why) {
    const auto& notify = self->options->on_disengage();
    if (notify && self->owner != nullptr && !self->abandoned) {
        self->calls.call("on_disengage()", [&] { notify(*self->owner); });
    }
    co_await end_term(self);
    self->ending_over_budget = false;
    self->rested.notify_all();
    if (self->abandoned || self->leaving != 0) co_return;  // what was offered meanwhile is put to use after that
    self->failure = std::move(why);
    self->watch_over_status();
    // Another configuration may be of another server: that is tried at once.
    if (const auto next = std::exchange(self->next_config, nullptr)) {
        self->over_budget.reset();
        self->engage_with(*next);
        co_return;
    }
    self->publish();
    self->tasks.spawn(engage_after_backoff(self, *self->over_budget, self->lifetime.token()));
}

inline awaitable<void> engaged_cluster::impl::engage_after_backoff(std::shared_ptr<impl> self,
                                                                   auth::cluster_config with, std::stop_token stop) {
    co_await sleep_for(self->env, self->rests.next(self->env.now(), random_unit(self->env)), stop);
    if (stop.stop_requested() || !self->over_budget || *self->over_budget != with) co_return;
    self->over_budget.reset();
    self->engage_with(with);
}

}  // namespace kcontrol
