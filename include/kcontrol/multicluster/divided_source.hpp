// One cluster as several: each has a part of its objects, so that replicas with sharding share the work on them.
#pragma once

#include <kcontrol/model/resource.hpp>
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Into how many parts clusters are divided, and how.
class divided_source_options {
public:
    /// A few times as many as there may be replicas: a part is one replica's, and each has watches of its own. The same
    /// in all replicas: two that differ would have the same object twice. Default 8.
    divided_source_options& parts(std::size_t n) { return parts_ = n, *this; }
    /// By what. Default: by namespace, mixed, so that an object and what it owns are in one part.
    divided_source_options& by(shard_selector::by what) { return by_ = what, *this; }
    /// Kinds of which each part has all objects, such as Nodes that a reconciler of Pods reads. Nobody is their owner:
    /// don't reconcile them.
    divided_source_options& undivided(std::vector<group_version_kind> kinds) {
        return undivided_ = std::move(kinds), *this;
    }

    std::size_t parts() const noexcept { return parts_; }
    shard_selector::by by() const noexcept { return by_; }
    const std::vector<group_version_kind>& undivided() const noexcept { return undivided_; }

private:
    std::size_t parts_ = 8;
    shard_selector::by by_ = shard_selector::by::mixed_namespace;
    std::vector<group_version_kind> undivided_;
};

/// The cluster "a" of the source inside is "a#0", "a#1", …, each with one part of the objects: caches and controllers
/// see these alone. With multicluster_options::sharding() each part is one replica's, behind the same fences as a
/// cluster, so an object has one owner at any time. What is not divided: what a client writes, what it gets by name
/// from the server, and lists of live().
///
/// By namespace, what has no namespace is in one of the parts; by uid, a controller that owns objects of other kinds is
/// not notified of those in other parts. A cached read that the part can't answer whole ends with invalid_argument.
///
/// Each part lists and watches by itself. A server without the feature ShardedListAndWatch (alpha since Kubernetes
/// 1.36) sends each part everything, as every server does by mixed_namespace, and the client drops the rest: that
/// divides reconciles and memory, not traffic.
///
/// Thread-safety and callbacks: those of the source inside.
class divided_source final : public cluster_source {
public:
    KCONTROL_DECL explicit divided_source(std::shared_ptr<cluster_source> whole, divided_source_options options = {});

    /// Errors: those of the source inside; invalid_argument (no parts, or more than 65536; there is no source).
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    std::shared_ptr<cluster_source> whole_;
    divided_source_options options_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/divided_source.ipp>
#endif
