// What is known of all clusters of a manager, for whoever asks on another thread: statuses, and whether it is ready.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/manager/readiness.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: shared objects safe.
class cluster_book {
public:
    /// A source has said which clusters there are. `failure`: why no cluster can be worked on.
    KCONTROL_DECL void offered(const std::optional<error>& failure);
    /// Where clusters are shared: whether this replica may have some.
    KCONTROL_DECL void member(bool yes);
    /// That cluster is to be engaged; nothing more is known yet.
    KCONTROL_DECL void expect(const std::string& cluster);
    KCONTROL_DECL void set(const cluster_status& now);
    KCONTROL_DECL void remove(const std::string& cluster);

    KCONTROL_DECL std::vector<cluster_status> statuses() const;
    KCONTROL_DECL result<void> ready(readiness when, bool shared);

private:
    KCONTROL_DECL result<void> check(readiness when, bool shared) const;

    mutable std::mutex mutex_;
    std::map<std::string, cluster_status> clusters_;
    std::optional<error> failure_;
    bool offered_ = false, member_ = false, was_ready_ = false;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/cluster_book.ipp>
#endif
