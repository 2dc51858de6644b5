// The manager of many clusters: engages those there should be, rotates those that changed, disengages those that left.
#pragma once

#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/multicluster/options.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol {

/// Runs an engaged_cluster for each desired cluster, each on a strand of its own. Engaging, rotating or disengaging one
/// touches no request of another; an unreachable one costs the others nothing. The options' on_engage() is the place to
/// build controllers on a cluster.
///
/// Thread-safety: shared objects unsafe; every call belongs to the executor given, a strand or a single-threaded
/// context. Cancellation: stop() ends everything in bounded time. It may be started again by set_desired(). Object
/// lifetime: destruction stops it without waiting.
class multicluster_manager {
public:
    KCONTROL_DECL multicluster_manager(environment& env, executor ex, multicluster_options options);
    KCONTROL_DECL ~multicluster_manager();
    multicluster_manager(const multicluster_manager&) = delete;
    multicluster_manager& operator=(const multicluster_manager&) = delete;

    /// These are the clusters there should be from now on; usually given to a cluster_source as its callback.
    KCONTROL_DECL void set_desired(std::vector<desired_cluster> desired);

    /// Disengages all clusters and waits until they have.
    KCONTROL_DECL awaitable<void> stop();

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
