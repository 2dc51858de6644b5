// How an engaged cluster ends: at a disengagement, and before a rest.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline awaitable<void> engaged_cluster::impl::end_term(std::shared_ptr<impl> self) {
    self->lifetime.stop();
    for (const auto& slot : self->slots) {
        for (auto& version : slot->versions) version.subscriptions.clear();
    }
    const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
    const bool drained = co_await join_controllers(self, deadline);
    if (!drained) {
        const std::size_t led = self->leadership.tasks ? self->leadership.tasks->awaited() : 0;
        self->log.error("the cluster disengages, but not every controller has returned",
                        {{"controllers", std::to_string(self->running->awaited() + led)}});
    }
    self->caches.stop();
    if (self->informers) co_await self->informers->stop();
    if (self->recorders) {
        const time_point last = self->abandoned ? self->env.now() : deadline;
        co_await self->recorders->stop(last);
    }
    co_await self->tasks.join();
    self->slots.clear();
    if (self->informers) {
        self->informers->clear();
        self->informers->get_client().close();
    }
    self->forget_controllers();
    self->running = std::make_shared<task_group>(self->env, self->strand, self->log);
    self->config.reset();
    self->failure.reset();
    self->engage_failure.reset();
    self->published.reset();
    self->counting = false;
    if (self->abandoned) co_return;
    self->lifetime.rebuild();
    self->caches.rebuild();
    self->begin_term();
}

inline awaitable<void> engaged_cluster::impl::disengage(std::shared_ptr<impl> self, user_task caller) {
    self->running->exclude(caller);
    self->leadership.exclude(caller);
    ++self->leaving;
    while (self->ending_over_budget) co_await self->rested.wait(self->env, {});
    --self->leaving;
    self->over_budget.reset();
    if (self->disengaging) {
        const std::uint64_t number = self->disengagements;
        while (self->disengagements == number) co_await self->disengaged.wait(self->env, {});
        co_return;
    }
    self->disengaging = true;
    const auto& notify = self->options->on_disengage();
    if (self->engaged() && notify && self->owner != nullptr && !self->abandoned) {
        self->calls.call("on_disengage()", [&] { notify(*self->owner); });
    }
    co_await end_term(self);
    const auto& on_removed = self->options->on_removed();
    if (!std::exchange(self->removed, true) && !self->abandoned && on_removed) {
        self->calls.call("on_removed()", [&] { on_removed(self->name); });
    }
    self->disengaging = false;
    ++self->disengagements;
    self->disengaged.notify_all();
    const auto next = std::exchange(self->next_config, nullptr);
    if (next && self->owner != nullptr && !self->abandoned) self->owner->engage(*next, self->warning);
}

inline awaitable<void> engaged_cluster::impl::disengage_by_caller(std::shared_ptr<impl> self) {
    const executor mine = co_await boost::asio::this_coro::executor;
    co_await disengage(self, user_task::of(mine));
}

}  // namespace kcontrol
