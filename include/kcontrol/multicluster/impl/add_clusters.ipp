#pragma once

#include <kcontrol/multicluster/add_clusters.hpp>
#include <kcontrol/multicluster/cluster_health.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr char added_clusters_key = 0;

// A manager's clusters, and where they come from.
class added_clusters {
public:
    added_clusters(manager& m, std::shared_ptr<cluster_source> s, multicluster_options o)
        : source(std::move(s)), clusters(m.env(), m.get_executor(), std::move(o)) {}

    static awaitable<result<void>> run(std::weak_ptr<added_clusters> weak, environment& env, std::stop_token stop) {
        const auto self = weak.lock();
        if (!self || stop.stop_requested()) co_return result<void>();
        // A source may tell until its stop() has returned, which is before the clusters go.
        const auto tell = [of = self.get()](std::vector<desired_cluster> all) {
            of->clusters.set_desired(std::move(all));
        };
        const result<void> started = self->source->start(tell);
        if (!started) co_return started.error().with_context("the source of the clusters");
        async_event never;
        co_await never.wait(env, stop);
        self->source->stop();
        co_await self->clusters.stop();
        co_return result<void>();
    }

    const std::shared_ptr<cluster_source> source;
    multicluster_manager clusters;
};

}  // namespace detail

KCONTROL_DECL result<multicluster_manager*> add_clusters(manager& m, std::shared_ptr<cluster_source> source,
                                                         multicluster_options options, readiness when) {
    const auto refuse = [](const char* why) {
        return error(errc::invalid_argument, std::string("add_clusters(): ") + why);
    };
    if (m.get_elector() != nullptr) {
        return refuse(
            "the manager's leader election knows nothing of writes to other clusters; use leader_election() or "
            "sharding() of multicluster_options");
    }
    std::shared_ptr<void>& place = m.attachment(&detail::added_clusters_key);
    if (place) return refuse("the manager has its clusters already; make one source of several with union_source");
    if (!options.log().enabled(log_level::error)) options.log(m.log());
    if (!options.add_collector()) options.metrics(m.metrics());
    const auto made = std::make_shared<detail::added_clusters>(m, std::move(source), std::move(options));
    const auto run = [weak = std::weak_ptr(made), &env = m.env()](std::stop_token stop) {
        return detail::added_clusters::run(weak, env, std::move(stop));
    };
    const auto added = m.add(runnable("clusters", run, run_group::always));
    if (!added) return added.error();
    place = made;
    m.add_readyz_check(clusters_ready(made->clusters, when));
    return &made->clusters;
}

}  // namespace kcontrol
