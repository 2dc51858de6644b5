// What works on every cluster of a multicluster_manager, whenever that comes.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>

namespace kcontrol::inline v0_1 {

class engaged_cluster;  // multicluster/engaged_cluster.hpp

/// Is told of each cluster that engages: those that have when it is added, and those to come. A
/// multicluster_controller is one; multicluster-runtime calls it Aware.
///
/// Thread-safety: engage() is called where the cluster works, which is several threads at once where
/// multicluster_options::cluster_executor() spreads them; removed() on the manager's strand.
class cluster_aware {
public:
    virtual ~cluster_aware() = default;

    /// Unique among those of a manager. It does not change.
    virtual const std::string& name() const noexcept = 0;

    /// The cluster has its first usable configuration; called before multicluster_options::on_engage(). What is added
    /// to the cluster ends with it: nobody says good-bye. Called again of the same cluster after somebody has failed at
    /// it, and may be called twice of one that has engaged. Errors: the cluster has failed with that, and is engaged
    /// again later.
    virtual result<void> engage(engaged_cluster& of) = 0;

    /// A cluster is not desired any more, and all that was done in it has ended.
    virtual void removed(const std::string& cluster) = 0;
};

}  // namespace kcontrol
