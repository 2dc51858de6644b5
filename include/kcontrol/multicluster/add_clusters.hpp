// Many clusters beside a manager, so that a program of run() works on them with the same flags, endpoints and signals
// as one that works on its own cluster alone.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {

/// Makes a multicluster_manager that works on the clusters of `source`, and lives as long as `m`: it is started and
/// stopped with it, whether this process leads or not, its metrics are among m's (unless the options name a registry),
/// and /readyz has the check clusters_ready(), ready as `when` says. Without a logger the
/// options get m's. Controllers are built on it with multicluster_controller.
///
/// The source is started and stopped on m's executor, and belongs to this call's result from then on; one that can't
/// start ends the manager with its error.
///
/// Errors: invalid_argument (m has its clusters already: a union_source makes one source of several; m has leader
/// election, which knows nothing of writes to other clusters: give multicluster_options leader_election() or
/// sharding() instead), unavailable (m is stopping).
/// Thread-safety: as manager. Lifetime: what the pointer points to goes with `m`.
KCONTROL_DECL result<multicluster_manager*> add_clusters(manager& m, std::shared_ptr<cluster_source> source,
                                                         multicluster_options options,
                                                         readiness when = readiness::synced_once);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/add_clusters.ipp>
#endif
