// Several sources of clusters as one: each has a prefix, which begins the names of its clusters.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The defaults are multicluster-runtime's. Source: sigs.k8s.io/multicluster-runtime, providers/multi.
class union_source_options {
public:
    /// What stands between the prefix and the name that the source gave; not empty.
    union_source_options& separator(std::string s) { return separator_ = std::move(s), *this; }
    /// Told which sources do not start, and what functions throw.
    union_source_options& log(logger l) { return log_ = std::move(l), *this; }

    const std::string& separator() const noexcept { return separator_; }
    const logger& log() const noexcept { return log_; }

private:
    std::string separator_ = "#";
    logger log_;
};

/// The cluster "a" of the source that was added as "prod" is "prod#a". Sources may be added and removed at any time.
///
/// What happens to one source touches no cluster of another. One that does not start is logged, once for each reason,
/// and started again after a second and then ever more rarely; until then it has no clusters. The others are told of
/// meanwhile: as soon as one of the sources has told its clusters, so has this one. After a stop() nothing is
/// remembered of any source.
///
/// Thread-safety and callbacks: see cluster_source; the executor is a strand or a single-threaded context, and the one
/// that the sources were made with. Object lifetime: the environment outlives it.
class union_source final : public cluster_source {
public:
    /// `ex`: where on_change() is called, and sources are started again. It has no source at first.
    KCONTROL_DECL union_source(environment& env, executor ex, union_source_options options = {});
    KCONTROL_DECL ~union_source() override;

    /// It is started at once if this runs. Nobody else starts or stops it.
    /// Errors: invalid_argument (the prefix is empty, taken, or holds the separator; there is no source).
    KCONTROL_DECL result<void> add(std::string prefix, std::shared_ptr<cluster_source> source);
    /// Its clusters leave. Does nothing if there is no such source. Not to be called by that source's start().
    KCONTROL_DECL void remove(const std::string& prefix);

    /// Why sources are not started, by their prefixes.
    KCONTROL_DECL std::map<std::string, error> failures() const;

    /// Errors: invalid_argument (it runs already; there is no separator).
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/union_source.ipp>
#endif
