#pragma once

#include <kcontrol/multicluster/cluster_workers.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL awaitable<std::shared_ptr<shared_workers::held>> shared_workers::take(
    std::shared_ptr<shared_workers> self, std::string cluster, std::stop_token stop) {
    const executor here = co_await boost::asio::this_coro::executor;
    const auto mine = std::make_shared<waiter>(here);
    const std::uint32_t weight = self->how_.weight() ? self->how_.weight()(cluster) : 1;
    detail::fair_turns::ticket which = 0;
    bool given = false;
    {
        const std::lock_guard lock(self->mutex_);
        which = self->turns_.ask(cluster, weight, self->env_.now());
        self->waiters_.emplace(which, mine);
        self->give();
        given = mine->given;
    }
    // From here on it ends with this, whether it waits or works.
    auto out = std::make_shared<held>(self, which);
    while (!given) {
        const wake why = co_await mine->changed.wait(self->env_, stop);
        const std::lock_guard lock(self->mutex_);
        given = mine->given;
        if (!given && why == wake::stopped) break;
    }
    if (!given) out.reset();
    co_return out;
}

// With the lock held. A turn may begin on another executor than this one.
KCONTROL_DECL void shared_workers::give() {
    for (const auto which : turns_.grant(env_.now())) {
        const auto found = waiters_.find(which);
        found->second->given = true;
        boost::asio::post(found->second->ex, [one = found->second] { one->changed.notify_all(); });
        waiters_.erase(found);
    }
}

KCONTROL_DECL void shared_workers::end(detail::fair_turns::ticket which) {
    const std::lock_guard lock(mutex_);
    waiters_.erase(which);
    turns_.end(which);
    give();
}

KCONTROL_DECL std::size_t shared_workers::running() const {
    const std::lock_guard lock(mutex_);
    return turns_.running();
}

KCONTROL_DECL std::size_t shared_workers::waiting() const {
    const std::lock_guard lock(mutex_);
    return turns_.waiting();
}

KCONTROL_DECL void shared_workers::write(metrics_writer& out, const std::string& name,
                                         std::size_t most_clusters) const {
    const std::lock_guard lock(mutex_);
    const auto sum = [&](const char* state, std::size_t count) {
        out.gauge("kcontrol_shared_workers",
                  "Workers that clusters share: all, those that work, and who waits for one.",
                  {{"name", name}, {"state", state}}, static_cast<double>(count));
    };
    sum("total", how_.total());
    sum("running", turns_.running());
    sum("waiting", turns_.waiting());
    for (const auto& one : turns_.loads(most_clusters)) {
        const auto of_cluster = [&](const char* state, std::size_t count) {
            out.gauge("kcontrol_shared_workers_by_cluster",
                      "Reconciles of a cluster that have a worker, or wait for one.",
                      {{"name", name}, {"cluster", one.cluster}, {"state", state}}, static_cast<double>(count));
        };
        of_cluster("running", one.running);
        of_cluster("waiting", one.waiting);
    }
}

}  // namespace kcontrol
