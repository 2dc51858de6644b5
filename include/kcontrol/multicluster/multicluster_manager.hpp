// The manager of many clusters: engages those there should be, rotates those that changed, disengages those that left.
#pragma once

#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/readiness.hpp>
#include <kcontrol/multicluster/cluster_aware.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/multicluster/options.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Runs an engaged_cluster for each desired cluster. Engaging, rotating or disengaging one touches no request of
/// another; an unreachable one costs the others nothing. The options' on_engage() is the place to build controllers on
/// a cluster.
///
/// With multicluster_options::leader_election() informers run always, so that a follower's caches are warm, and
/// controllers only while this process leads. It contends from the first set_desired() on; stop() gives the Lease up
/// when the clusters' controllers have returned.
///
/// With multicluster_options::sharding() several equal programs share the clusters: each engages those that are its
/// own, and disengages one that becomes another's before that engages it.
///
/// All of it, and all that the program hears of it, is on one strand over the executor given, so that the program's
/// functions need no locks, on however many threads; multicluster_options::cluster_executor() spreads the clusters.
///
/// Thread-safety: shared objects unsafe; every call belongs to get_executor(), but for stop() and get_executor(). Where
/// the executor given is a strand or a single-threaded context, a call from there will do.
/// Cancellation: stop() ends everything in bounded time. It may be started again by set_desired().
/// Object lifetime: destruction stops it without waiting; no function of the options is called afterwards, but for
/// those that are being called on other strands (cluster_executor).
class multicluster_manager {
public:
    /// `ex`: may have several threads. No cluster is engaged before set_desired(). What is wrong with the options'
    /// leader election or sharding is told by last_error().
    KCONTROL_DECL multicluster_manager(environment& env, executor ex, multicluster_options options);
    KCONTROL_DECL ~multicluster_manager();
    multicluster_manager(const multicluster_manager&) = delete;
    multicluster_manager& operator=(const multicluster_manager&) = delete;

    /// These are the clusters there should be from now on; usually given to a cluster_source as its callback.
    KCONTROL_DECL void set_desired(std::vector<desired_cluster> desired);

    /// Tells `work` of each cluster that engages: those that have, and those to come. Errors: invalid_argument (its
    /// name is taken).
    KCONTROL_DECL result<void> add(std::shared_ptr<cluster_aware> work);

    /// Disengages all clusters and waits until they have; on any executor. A reconcile of one of them that awaits it is
    /// not waited for, and goes on afterwards. A set_desired() meanwhile is what counts in the end. Idempotent.
    KCONTROL_DECL awaitable<void> stop();

    /// The strand that all its work is on, over the executor given; of the clusters', see cluster_executor(). A
    /// cluster_source that tells this manager belongs on it.
    KCONTROL_DECL executor get_executor() const;

    /// Who leads; null without leader election. Started and stopped by the manager.
    KCONTROL_DECL const leader_elector* get_elector() const noexcept;
    /// Why it does not contend for leadership, or share clusters, as the last set_desired() found: what
    /// leader_elector::start() and sharding_options::validate() say.
    KCONTROL_DECL const std::optional<error>& last_error() const noexcept;

    /// Who shares the clusters, and which are this replica's; nothing without sharding, or where last_error() says why
    /// there is none.
    KCONTROL_DECL std::optional<sharding_status> sharding() const;

    /// What is known of each cluster and its kinds, as on_status() was told last; by name. Those that are shared only
    /// while they are this replica's. On any thread.
    KCONTROL_DECL std::vector<cluster_status> statuses() const;
    /// Whether the program is at work: set_desired() was called, it can share or contend as its options ask for, and
    /// every cluster was reached, or told why not. With readiness::synced_once it stays ready from then on: a cluster
    /// that joins, or can't be reached, takes no program out of service. With readiness::live all clusters are live.
    /// Errors: not_synced naming one cluster, and last_error()'s. On any thread. See also clusters_ready().
    KCONTROL_DECL result<void> ready(readiness when = readiness::synced_once) const;

    KCONTROL_DECL environment& env() const noexcept;   ///< that it was made with; outlives it
    KCONTROL_DECL const logger& log() const noexcept;  ///< that of the options, without a cluster's name

    /// The names of the clusters that are engaged, sorted.
    KCONTROL_DECL std::vector<std::string> names() const;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/multicluster_manager.ipp>
#endif
