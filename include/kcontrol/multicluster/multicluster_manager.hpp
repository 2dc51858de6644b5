// The manager of many clusters: engages those there should be, rebuilds those that changed, lets those go that left.
#pragma once

#include <kcontrol/multicluster/cluster.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol {

/// Options of a multicluster_manager; a cluster's own and what is told about clusters as such.
class multicluster_options : public cluster_options {
public:
    /// A cluster left; nothing of it is told afterwards. On the manager's executor.
    std::function<void(const std::string& cluster)> on_removed;
};

/// Runs one cluster object for each desired cluster, each on a strand of its own. Adding, changing or removing one
/// cluster touches no request of another; an unreachable one costs the others nothing.
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

    /// Lets all clusters go and waits until they are gone.
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
