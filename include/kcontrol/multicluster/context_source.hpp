// Clusters from one kubeconfig: each of its contexts is one.
#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Which contexts of which file are clusters.
class context_source_options {
public:
    /// Only these. Default, and if empty: every context.
    context_source_options& contexts(std::vector<std::string> names) { return contexts_ = std::move(names), *this; }
    /// Who wrote the file. Default: the person who runs the program.
    context_source_options& trust(auth::trust level) { return trust_ = std::move(level), *this; }
    /// Told why the file can't be read or watched, and what on_change() throws.
    context_source_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::vector<std::string>& contexts() const noexcept { return contexts_; }
    const auth::trust& trust() const noexcept { return trust_; }
    const logger& log() const noexcept { return log_; }

private:
    std::vector<std::string> contexts_;
    auth::trust trust_ = auth::trust::trusted;
    logger log_;
};

/// Watches the file: a context that is added, changed or removed is a cluster that engages, rotates or disengages,
/// without touching another. Changes are noticed at once where the file system tells, and by looking every 30 s where
/// it does not, as where the path is a link to another directory.
///
/// A context that can't be used is a cluster that failed, with the reason; where it was good before, that stays in use,
/// with a warning. A file that can't be read or understood says nothing about any cluster: all stay, with a warning. A
/// context that was asked for and has never been in the file is a cluster that failed. The cluster's name is the
/// context's, as text that can be shown anywhere (see scan_directory). Files that the kubeconfig names count as they
/// are when it is looked at.
///
/// Thread-safety and callbacks: see cluster_source. Object lifetime: the environment outlives it.
class context_source final : public cluster_source {
public:
    /// `path`: of the kubeconfig, whose directory is watched. `ex`: where on_change() is called, and the file read
    /// again.
    KCONTROL_DECL context_source(environment& env, executor ex, std::string path, context_source_options options = {});
    KCONTROL_DECL ~context_source() override;

    /// Errors: invalid_argument (it runs already), file_failed and invalid_config (the file can't be read, or is no
    /// kubeconfig).
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/context_source.ipp>
#endif
