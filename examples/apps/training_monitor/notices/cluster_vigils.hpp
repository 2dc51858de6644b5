// Rules about clusters: which one can't be seen, for how long, and that it is back. A plain state machine.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "jobs/cluster_view.hpp"
#include "notices/recipient.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// Tells of a cluster that has been unreachable, or failed, for so long, and when it is back after that.
struct cluster_rule {
    std::vector<std::string> clusters;   ///< patterns; none: all of them
    std::vector<std::size_t> receivers;  ///< by their place in the configuration
    kcontrol::duration lasting{};
    rule_manner manner{};
};

/// What is to be told of a cluster, and to whom.
struct cluster_news {
    std::string cluster;
    std::string_view from, to;  ///< Live, Unreachable, Failed
    std::string reason;         ///< why it can't be seen; of one that is back, why it could not
    kcontrol::duration lasted{};
    std::vector<recipient> receivers;  ///< each once, with the place of its cluster rule
};

/// Clusters are met where they are: what is in trouble at the start counts from then.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class cluster_vigils {
public:
    explicit cluster_vigils(std::vector<cluster_rule> rules) : rules_(std::move(rules)) {}

    /// The cluster is so now. Returns that it is back, if its trouble had been told; else nothing.
    std::optional<cluster_news> set(const cluster_view& cluster, kcontrol::time_point now);
    /// It is watched no longer.
    void forget(const std::string& cluster) { troubles_.erase(cluster); }

    /// When the next trouble has lasted long enough; nothing: there is none.
    std::optional<kcontrol::time_point> next() const;
    /// Takes those that have.
    std::vector<cluster_news> take(kcontrol::time_point now);

private:
    struct trouble {
        kcontrol::time_point since{};
        std::string_view state;
        std::string reason;
        std::vector<bool> told;  // by rule
    };
    bool is_due(const trouble& of, const std::string& cluster, std::size_t rule) const;

    std::vector<cluster_rule> rules_;
    std::map<std::string, trouble> troubles_;
};

}  // namespace training_monitor::notices
