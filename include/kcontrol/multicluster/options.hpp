// What is done in every cluster of a multicluster_manager, and who is notified of what.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/cluster/cache_options.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/leader/options.hpp>
#include <kcontrol/multicluster/cluster_budget.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>
#include <kcontrol/multicluster/kind_choice.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class engaged_cluster;
class metrics_registry;
class metrics_writer;

/// Options of a multicluster_manager. Only the transport must be given.
///
/// The functions on_…() are called one at a time, on the manager's strand (multicluster_manager::get_executor), unless
/// cluster_executor() says otherwise. What they throw is logged and counted in the cluster's status, and ends nothing.
class multicluster_options {
public:
    /// Writes series, each time that the registry is asked for its text.
    using collector = std::function<void(metrics_writer&)>;

    /// Called with the cluster's name, the kind in the version that is watched there, and the event.
    using event_callback = std::function<void(const std::string& cluster, const resource_info&, const any_event&)>;
    /// Called with a cluster's new status.
    using status_callback = std::function<void(const cluster_status&)>;
    /// Called with a cluster; on_engage() says how long it may be used.
    using cluster_callback = std::function<void(engaged_cluster&)>;
    /// Called with a cluster's name.
    using name_callback = std::function<void(const std::string& cluster)>;
    /// Called with whether this process leads now.
    using leading_callback = std::function<void(bool leads)>;

    /// Kinds to watch in every cluster; on_event() is notified of their objects. Default: none.
    multicluster_options& kinds(std::vector<kind_choice> k) { return kinds_ = std::move(k), *this; }
    /// Namespaces to watch. Default, and if empty: all.
    multicluster_options& namespaces(std::vector<std::string> n) { return cache_.namespaces(std::move(n)), *this; }
    /// How every informer behaves: selectors, page size… Its logger is the cluster's, its namespace one of
    /// namespaces().
    multicluster_options& informers(informer_options o) {
        return cache_.all_kinds(std::move(o), cache_.namespaces()), *this;
    }
    /// Both at once, and what differs for single kinds.
    multicluster_options& cache(cache_options o) { return cache_ = std::move(o), *this; }
    /// What makes connections to the clusters.
    multicluster_options& transport(http::transport_factory t) { return transport_ = std::move(t), *this; }
    /// How each cluster is asked: a limit of requests a second is each cluster's own, the name that its audit log has,
    /// the encoding of objects…
    multicluster_options& client(client_options o) { return client_ = std::move(o), *this; }
    /// What each cluster may cost: requests at a time, requests that nobody answers, objects. Default: no bounds.
    multicluster_options& budget(cluster_budget b) { return budget_ = b, *this; }
    /// How long the controllers of a cluster may take to return when it disengages. Default 30 s.
    multicluster_options& graceful_shutdown_timeout(duration d) { return graceful_shutdown_timeout_ = d, *this; }
    /// Controllers run only while this process holds that Lease of the cluster `home`, which need not be one of the
    /// engaged ones; informers run always. Writes through the clusters' clients are refused while it does not hold it.
    /// Those of engaged_cluster::always() run always. See docs/leadership.md.
    multicluster_options& leader_election(leader_options o, auth::cluster_config home) {
        leader_election_ = std::move(o), home_ = std::move(home);
        return *this;
    }
    /// The clusters are spread over all programs that name the same group in the cluster `home`: each engages those
    /// that are its own. Not together with leader_election(). See docs/multicluster.md.
    multicluster_options& sharding(sharding_options o, auth::cluster_config home) {
        sharding_ = std::move(o), home_ = std::move(home);
        return *this;
    }
    /// Adds kcontrol_cluster_… and kcontrol_informer_… of every cluster to a registry, a second old at most. The
    /// registry must be there when the multicluster_manager is made, may go before it, and may be asked on any thread.
    /// The first `most_clusters` by name have series of their own, with the label `cluster`; the others count in
    /// kcontrol_clusters and in what is summed over all.
    // A template, so that only programs that call this link what the registry is made of.
    template <std::same_as<metrics_registry> Registry>
    multicluster_options& metrics(Registry& r, std::size_t most_clusters = 200) {
        metrics_clusters_ = most_clusters;
        add_collector_ = [&r](collector c) { r.collect(std::move(c)); };
        return *this;
    }
    /// For all of it; what is about a cluster carries its name. Default: nowhere.
    multicluster_options& log(logger l) { return log_ = std::move(l), *this; }
    /// Lets each cluster work on a strand of its own over `e`, so that several threads share the work. Then what is
    /// about a cluster, its controllers and the functions below, comes on the cluster's strand, and two of them may be
    /// called at once for different clusters. Default: all work, of all clusters, is on the manager's strand.
    multicluster_options& cluster_executor(executor e) { return cluster_executor_ = std::move(e), *this; }

    /// An object of one of kinds() changed: every version that the server sent, one after another. An event at which it
    /// throws is not told again.
    multicluster_options& on_event(event_callback f) { return on_event_ = std::move(f), *this; }
    /// The status changed: at once for a state of one of kinds(), within a second for that of what else controllers
    /// watch and for a count, within some ten seconds for the time of the last sign of life. If it throws, it is called
    /// again within a second.
    multicluster_options& on_status(status_callback f) { return on_status_ = std::move(f), *this; }
    /// The cluster has its first usable configuration, so that informers and controllers can be made on it. It may be
    /// used, where this is called, until on_disengage() has returned. If it throws, the cluster has failed: the
    /// controllers that were added are stopped and forgotten, and it is called again, after a second, two, four… up to
    /// a minute.
    multicluster_options& on_engage(cluster_callback f) { return on_engage_ = std::move(f), *this; }
    /// An engaged cluster is about to stop its controllers and informers.
    multicluster_options& on_disengage(cluster_callback f) { return on_disengage_ = std::move(f), *this; }
    /// A cluster is gone, whether it was ever engaged or not: no callback is about it afterwards.
    multicluster_options& on_removed(name_callback f) { return on_removed_ = std::move(f), *this; }
    /// With leader election: this process leads now, or does not any more, be it by a loss or by a stop.
    multicluster_options& on_leading(leading_callback f) { return on_leading_ = std::move(f), *this; }

    const std::vector<kind_choice>& kinds() const noexcept { return kinds_; }
    const std::vector<std::string>& namespaces() const noexcept { return cache_.namespaces(); }
    const informer_options& informers() const noexcept { return cache_.all_kinds(); }
    const cache_options& cache() const noexcept { return cache_; }
    const http::transport_factory& transport() const noexcept { return transport_; }
    const std::optional<client_options>& client() const noexcept { return client_; }
    const cluster_budget& budget() const noexcept { return budget_; }
    duration graceful_shutdown_timeout() const noexcept { return graceful_shutdown_timeout_; }
    /// Adds a collector to the registry of metrics(); null without one.
    const std::function<void(collector)>& add_collector() const noexcept { return add_collector_; }
    /// How many clusters have series of their own, as metrics() was told; 0 without it.
    std::size_t metrics_clusters() const noexcept { return metrics_clusters_; }
    const std::optional<leader_options>& leader_election() const noexcept { return leader_election_; }
    const std::optional<sharding_options>& sharding() const noexcept { return sharding_; }
    /// The cluster of leader_election() or sharding(); there if one of them is.
    const std::optional<auth::cluster_config>& home() const noexcept { return home_; }
    const logger& log() const noexcept { return log_; }
    /// Empty if it was not set.
    const executor& cluster_executor() const noexcept { return cluster_executor_; }
    const event_callback& on_event() const noexcept { return on_event_; }
    const status_callback& on_status() const noexcept { return on_status_; }
    const cluster_callback& on_engage() const noexcept { return on_engage_; }
    const cluster_callback& on_disengage() const noexcept { return on_disengage_; }
    const name_callback& on_removed() const noexcept { return on_removed_; }
    const leading_callback& on_leading() const noexcept { return on_leading_; }

private:
    std::vector<kind_choice> kinds_;
    cache_options cache_;
    http::transport_factory transport_;
    std::optional<client_options> client_;
    cluster_budget budget_;
    duration graceful_shutdown_timeout_ = std::chrono::seconds(30);
    std::function<void(collector)> add_collector_;
    std::size_t metrics_clusters_ = 0;
    std::optional<leader_options> leader_election_;
    std::optional<sharding_options> sharding_;
    std::optional<auth::cluster_config> home_;
    logger log_;
    executor cluster_executor_;
    event_callback on_event_;
    status_callback on_status_;
    cluster_callback on_engage_, on_disengage_;
    name_callback on_removed_;
    leading_callback on_leading_;
};

}  // namespace kcontrol
