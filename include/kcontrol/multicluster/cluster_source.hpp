// Where clusters come from: a source says which clusters there should be, and says it again when that changes.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/model/resource.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What is said of a cluster, for those who choose among them.
using cluster_labels = std::map<std::string, std::string>;

/// A part of a cluster's objects; see divided_source. Empty: the whole cluster.
class cluster_part {
public:
    cluster_part() = default;
    /// `s`: see shard_selector::to_string(); `whole`: kinds of which it has all objects nevertheless.
    explicit cluster_part(std::string s, std::vector<group_version_kind> whole = {})
        : selector(std::move(s)), undivided(std::move(whole)) {}

    std::string selector;                       ///< which objects are cached and reconciled
    std::vector<group_version_kind> undivided;  ///< kinds that it does not hold for

    friend bool operator==(const cluster_part&, const cluster_part&) = default;
};

/// A cluster that should be there.
class desired_cluster {
public:
    /// Its name, and how it is reached, or why it can't be.
    desired_cluster(std::string n, result<auth::cluster_config> c) : name(std::move(n)), config(std::move(c)) {}

    std::string name;                     ///< what requests, logs and metrics call it; no two of one set have the same
    result<auth::cluster_config> config;  ///< or why it can't be reached at all
    std::string warning;                  ///< something is wrong, but `config` is still good
    cluster_labels labels;                ///< a cluster whose labels change leaves, and joins again
    /// Not empty: only objects of these are cached and reconciled, in place of multicluster_options::namespaces(). A
    /// cluster of which they change leaves, and joins again.
    std::vector<std::string> namespaces;
    cluster_part
        part;  ///< only these objects are cached and reconciled. One whose part changes leaves, and joins again

    friend bool operator==(const desired_cluster& a, const desired_cluster& b) {
        if (a.name != b.name || a.warning != b.warning) return false;
        if (a.labels != b.labels || a.namespaces != b.namespaces || a.part != b.part) return false;
        if (a.config.has_value() != b.config.has_value()) return false;
        return a.config ? *a.config == *b.config : a.config.error().what() == b.config.error().what();
    }
};

/// Publishes which clusters there should be.
///
/// Thread-safety: shared objects unsafe; callbacks come on the executor the source was made with.
class cluster_source {
public:
    virtual ~cluster_source() = default;

    /// Calls `on_change` with the whole set, soon and after each change; so it does when it is started again after a
    /// stop(), whatever it told before. The library's sources call it again, after a second and then ever more rarely,
    /// if it throws; a fixed_source lets that out of start().
    /// Errors: invalid_argument (it runs already), or what keeps the source from working at all (no such directory).
    virtual result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) = 0;

    /// No call of `on_change` begins after this returns. Idempotent. `on_change` itself may stop the source, start it
    /// again and destroy it.
    virtual void stop() = 0;
};

}  // namespace kcontrol
