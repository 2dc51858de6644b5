// Clusters from a directory of kubeconfigs: one file a cluster, its name without extension is the cluster's.
#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1 {

/// Watches a directory: added, replaced and removed files are noticed at once where the file system tells, and by
/// looking every 30 s where it does not. Hidden files and editors' backups ("x~") are passed over; of two files with
/// one name the first in order of their full names counts. While the directory can't be read all clusters stay. That,
/// with its reason, and each file that is passed over for its name are logged once, and again when they come back.
///
/// Thread-safety and callbacks: see cluster_source.
class directory_source final : public cluster_source {
public:
    /// `path`: of the directory; `level`: what its kubeconfigs may say. `ex`: where on_change() is called, and files
    /// are read again. The environment outlives it.
    KCONTROL_DECL directory_source(environment& env, executor ex, std::string path, auth::trust level, logger log = {});
    KCONTROL_DECL ~directory_source() override;

    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

/// A fixed set of clusters: contexts of one kubeconfig, or the pod's own cluster.
class fixed_source final : public cluster_source {
public:
    /// All of them, which start() tells before it returns.
    explicit fixed_source(std::vector<desired_cluster> clusters) : clusters_(std::move(clusters)) {}

    result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override {
        on_change(clusters_);
        return {};
    }
    void stop() override {}

private:
    std::vector<desired_cluster> clusters_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/directory_source.ipp>
#endif
