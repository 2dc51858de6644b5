// What a directory of kubeconfigs amounts to over time: a pure state machine that bridges half-written files.
#pragma once

#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// Takes what each look at the directory found and says which clusters there should be. A file that is broken for less
/// than the grace period is being written: a new one is not there yet, an old one stays as it was. One that stays
/// broken is an error, or a warning beside the last good configuration. A file that is away for an instant is being
/// replaced.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class directory_tracker {
public:
    /// So long a file may be broken before that counts.
    static constexpr duration broken_grace = std::chrono::milliseconds(1500);
    /// So long a file may be away before its cluster leaves.
    static constexpr duration missing_grace = std::chrono::milliseconds(400);

    /// A cluster's name, and what its file holds or why that can't be used.
    using finding = std::pair<std::string, result<auth::cluster_config>>;

    /// One look at the directory: cluster names with what their files hold.
    KCONTROL_DECL std::vector<desired_cluster> observe(time_point now, std::vector<finding> found);

    /// The latest time of the next scan, because something is in its grace period.
    const std::optional<time_point>& next_scan() const noexcept { return next_scan_; }

private:
    enum class condition_of_file { good, broken, missing };
    struct entry {
        condition_of_file is = condition_of_file::good;
        time_point since{};  // when it became what it is
        std::optional<auth::cluster_config> good;
        std::optional<error> broken;
    };
    KCONTROL_DECL bool in_grace(const entry& e, time_point now);

    std::map<std::string, entry> entries_;
    std::optional<time_point> next_scan_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/directory_tracker.ipp>
#endif
