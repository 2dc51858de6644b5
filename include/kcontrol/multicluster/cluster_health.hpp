// The readiness of a program of many clusters, as a check of its /readyz.
#pragma once

#include <kcontrol/manager/health.hpp>
#include <kcontrol/manager/readiness.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The check "clusters", which says what multicluster_manager::ready() does. A verbose answer shows the clusters that
/// are not live, a line each, `most_lines` of them and how many are left out. The manager outlives the check, which may
/// be asked on any thread.
KCONTROL_DECL named_check clusters_ready(const multicluster_manager& m, readiness when = readiness::synced_once,
                                         std::size_t most_lines = 50);

namespace detail {

/// Those that are not live, as lines.
KCONTROL_DECL std::vector<std::string> troubled_clusters(const std::vector<cluster_status>& all,
                                                         std::size_t most_lines);

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_health.ipp>
#endif
