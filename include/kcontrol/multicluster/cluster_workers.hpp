// Workers that the controllers of all clusters share: whose turn is next, by weights and by age.
#pragma once

#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/controller/reconciler.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/multicluster/detail/fair_turns.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

class metrics_registry;

/// A total of reconciles that may run at a time in all clusters, beside the `max_concurrent_reconciles` of each; for
/// multicluster_controller_for::complete(). A reconcile waits for one after its controller has taken it from the queue,
/// so that a time limit (reconciliation_timeout) counts the wait.
///
/// Of the clusters that wait, the one is next that has fewest running for its weight, and of equals the one that has
/// had fewest for its weight so far. Who has waited for `aging` comes before that, the longest wait first. A cluster
/// that is slow keeps what it has until its reconciles end, so choose a total that is more than the slow ones may hold:
/// their number times `max_concurrent_reconciles`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cluster_workers {
public:
    /// Says the weight of the cluster of that name.
    using weight_function = std::function<std::uint32_t(const std::string& cluster)>;

    /// At least 1.
    explicit cluster_workers(std::size_t total) : total_(total == 0 ? 1 : total) {}
    /// A cluster of weight 2 gets twice the share of one of weight 1. Asked at each reconcile, on the cluster's
    /// executor; must not throw. Default: 1 for all; 0 counts as 1.
    cluster_workers& weight(weight_function f) { return weight_ = std::move(f), *this; }
    /// Default 10 s.
    cluster_workers& aging(duration d) { return aging_ = d, *this; }

    std::size_t total() const noexcept { return total_; }  ///< reconciles that may run at a time in all clusters
    const weight_function& weight() const noexcept { return weight_; }
    duration aging() const noexcept { return aging_; }

private:
    std::size_t total_;
    weight_function weight_;
    duration aging_ = std::chrono::seconds(10);
};

/// Who works, and who waits for a worker: what makes several controllers share some.
///
/// Thread-safety: shared objects safe. Object lifetime: the environment outlives it.
class shared_workers : public std::enable_shared_from_this<shared_workers> {
public:
    /// `how`: how many, and whose turn is next. To be made with std::make_shared, which take() and metrics() need.
    shared_workers(environment& env, cluster_workers how)
        : env_(env), how_(std::move(how)), turns_(how_.total(), how_.aging()) {}
    shared_workers(const shared_workers&) = delete;
    shared_workers& operator=(const shared_workers&) = delete;

    /// A worker, until this goes.
    class held {
    public:
        /// For take(): what ends that turn when it goes, whether it works or waits.
        held(std::shared_ptr<shared_workers> of, detail::fair_turns::ticket which)
            : of_(std::move(of)), which_(which) {}
        held(const held&) = delete;
        held& operator=(const held&) = delete;
        ~held() { of_->end(which_); }

    private:
        std::shared_ptr<shared_workers> of_;
        detail::fair_turns::ticket which_;
    };

    /// Waits for a worker of that cluster; null if `stop` was triggered before there was one.
    KCONTROL_DECL static awaitable<std::shared_ptr<held>> take(std::shared_ptr<shared_workers> self,
                                                               std::string cluster, std::stop_token stop);

    /// Reconciles that run now, and that wait for a worker.
    KCONTROL_DECL std::size_t running() const;
    KCONTROL_DECL std::size_t waiting() const;  ///< reconciles that wait for a worker, in all clusters

    /// Adds kcontrol_shared_workers… to a registry, with the label `name`. The registry may be asked on any thread, and
    /// after the workers are gone. The first `most_clusters` by name, of those that work or wait, have series of their
    /// own.
    // A template, so that only programs that call this link what the registry is made of.
    template <std::same_as<metrics_registry> Registry>
    void metrics(Registry& r, const std::string& name, std::size_t most_clusters = 200) {
        r.collect([weak = weak_from_this(), name, most_clusters](metrics_writer& out) {
            if (const auto self = weak.lock()) self->write(out, name, most_clusters);
        });
    }

private:
    // On the executor of whoever waits.
    struct waiter {
        explicit waiter(executor x) : ex(std::move(x)) {}
        const executor ex;
        async_event changed;
        bool given = false;  // guarded by the mutex
    };

    KCONTROL_DECL void end(detail::fair_turns::ticket which);
    KCONTROL_DECL void give();
    KCONTROL_DECL void write(metrics_writer& out, const std::string& name, std::size_t most_clusters) const;

    environment& env_;
    const cluster_workers how_;
    mutable std::mutex mutex_;  // guards what follows
    detail::fair_turns turns_;
    std::map<detail::fair_turns::ticket, std::shared_ptr<waiter>> waiters_;
};

namespace detail {

template <class F, class... Args>
reconciliation reconcile_in_turn(std::shared_ptr<F> f, std::shared_ptr<shared_workers> workers, std::string cluster,
                                 reconcile_context ctx, Args... args) {
    const auto worker = co_await shared_workers::take(std::move(workers), std::move(cluster), ctx.stop());
    if (!worker) co_return error(errc::stopped, "stopped while it waited for a worker that clusters share");
    reconciliation work = call_reconciler<F, reconcile_context, Args...>(*f, std::move(ctx), std::move(args)...);
    result<reconcile_result> outcome = co_await std::move(work);
    co_return outcome;
}

// One reconciler for the controllers of all clusters, which waits for a worker first. It has the calls of F, and no
// others.
template <class F>
class reconciler_in_turn {
public:
    reconciler_in_turn(std::shared_ptr<F> f, std::shared_ptr<shared_workers> workers)
        : f_(std::move(f)), workers_(std::move(workers)) {}

    template <class... Args>
    requires reconciles<F, Args...> reconciliation operator()(reconcile_context ctx, Args... args) const {
        std::string cluster = ctx.get_cluster().name();
        return reconcile_in_turn<F, Args...>(f_, workers_, std::move(cluster), std::move(ctx), std::move(args)...);
    }

private:
    std::shared_ptr<F> f_;
    std::shared_ptr<shared_workers> workers_;
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_workers.ipp>
#endif
