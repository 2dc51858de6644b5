// What an engaged cluster does at each step of its life: retries, callbacks, and the end of what runs.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline void engaged_cluster::impl::apply(const detail::cluster_life::actions& todo) {
    for (const detail::cluster_action one : todo) {
        const bool over = abandoned.stop_requested();
        if (over && one != detail::cluster_action::remove) return;
        switch (one) {
        case detail::cluster_action::report: publish_counts(); break;
        case detail::cluster_action::publish: publish(); break;
        case detail::cluster_action::connect: connect(); break;
        case detail::cluster_action::introduce: {
            const bool returned = call("on_engage()", options->on_engage());
            apply(returned ? life.introduced() : life.threw(calls.last_thrown()));
            break;
        }
        case detail::cluster_action::retract: tasks.spawn(retract(shared_from_this(), lifetime.token())); break;
        case detail::cluster_action::retry: {
            const duration pause = life.delay(env.now(), random_unit(env));
            tasks.spawn(retry(shared_from_this(), life.offers(), pause, lifetime.token()));
            break;
        }
        case detail::cluster_action::remove: {
            const auto& on_removed = options->on_removed();
            if (on_removed && !over) calls.call("on_removed()", [&] { on_removed(name); });
            apply(life.removed());
            break;
        }
        }
    }
}

inline bool engaged_cluster::impl::call(const char* what, const multicluster_options::cluster_callback& f) {
    return !f || abandoned.stop_requested() || calls.call(what, [&] { f(*owner); });
}

inline awaitable<void> engaged_cluster::impl::retry(std::shared_ptr<impl> self, std::uint64_t offer, duration pause,
                                                    std::stop_token stop) {
    co_await sleep_for(self->env, pause, stop);
    if (!stop.stop_requested()) self->apply(self->life.retry(offer));
}

inline awaitable<void> engaged_cluster::impl::retract(std::shared_ptr<impl> self, std::stop_token stop) {
    self->built->stop();
    const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
    co_await self->groups.join(deadline);
    if (stop.stop_requested()) co_return;
    self->discard_controllers();
    co_await sleep_for(self->env, self->life.delay(self->env.now(), random_unit(self->env)), stop);
    if (stop.stop_requested()) co_return;
    self->built->rebuild();
    self->apply(self->life.retracted());
}

inline awaitable<void> engaged_cluster::impl::end(std::shared_ptr<impl> self, std::optional<error> why) {
    if (self->life.used()) self->call("on_disengage()", self->options->on_disengage());
    self->lifetime.stop();
    self->ticks.reset();
    for (const auto& slot : self->slots) {
        for (auto& version : slot->versions) version.subscriptions.clear();
    }
    const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
    const bool drained = co_await self->groups.join(deadline);
    if (!drained) {
        self->log.error("the cluster disengages, but not every controller has returned",
                        {{"controllers", std::to_string(self->groups.awaited())}});
    }
    self->caches.stop();
    if (self->informers) co_await self->informers->stop();
    if (self->recorders) {
        const time_point last = self->abandoned.stop_requested() ? self->env.now() : deadline;
        co_await self->recorders->stop(last);
    }
    co_await self->tasks.join();
    self->slots.clear();
    if (self->informers) {
        self->informers->clear();
        self->informers->get_client().close();
    }
    self->discard_controllers();
    self->groups.start();
    self->published.reset();
    self->lifetime.rebuild();
    self->caches.rebuild();
    self->built = std::make_unique<scope>(self->lifetime.token());
    self->apply(self->life.ended(std::move(why)));
    self->ended.notify_all();
}

inline awaitable<void> engaged_cluster::impl::disengage(std::shared_ptr<impl> self, user_task caller) {
    if (!caller) {
        const executor mine = co_await boost::asio::this_coro::executor;
        caller = user_task::of(mine);
    }
    self->groups.exclude(caller);
    const std::uint64_t number = self->life.disengagements();
    if (self->life.disengage()) {
        co_await end(self, std::nullopt);
        co_return;
    }
    while (self->life.phase() == detail::cluster_phase::disengaging && self->life.disengagements() == number) {
        co_await self->ended.wait(self->env, {});
    }
}

}  // namespace kcontrol
