// The demo's book-keeping: what the simulated operators wrote against what the monitor published. Pure.
#pragma once

#include "table/change.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor::demo {

/// How the two compare.
struct verdict {
    std::uint64_t jobs = 0;        ///< that the monitor had to show
    std::uint64_t duplicates = 0;  ///< published twice, or never written
    std::uint64_t lost = 0;        ///< written and not published
    std::vector<std::string> complaints;
};

/// Of every job it keeps two lines of states, as written and as published, which end with "removed". A job of a cluster
/// that was in view all its life must have two equal lines. One of a cluster that joined later or left before may lack
/// a beginning or an end, and nothing between.
///
/// Thread-safety: shared objects unsafe.
class ledger {
public:
    // The operators' side. `state` is what people should see after the write.
    void wrote(const std::string& cluster, const std::string& uid, std::string_view state);
    void removed(const std::string& cluster, const std::string& uid) { wrote(cluster, uid, gone); }

    /// The monitor's side: what it publishes at once.
    void published(const std::vector<change>& changes);

    verdict compare() const;

    /// How often a cluster was rebuilt for a new configuration.
    std::uint64_t rebuilds() const noexcept { return rebuilds_; }

private:
    static constexpr std::string_view gone = "removed";

    struct job_lines {
        std::vector<std::string_view> written, published;
        std::shared_ptr<const job_view> last;
        bool from_the_start = false;  ///< its cluster was in view when it was created
        std::uint64_t repeated = 0;   ///< the same published twice in a row
    };
    using job_id = std::pair<std::string, std::string>;  // cluster, uid

    void published_job(const change& c, bool cluster_leaves);
    bool must_be_published(const job_lines& lines, bool in_view) const;

    std::map<job_id, job_lines> jobs_;
    std::set<std::string> in_view_;
    std::map<std::string, std::uint64_t> generations_;
    std::uint64_t rebuilds_ = 0;
};

}  // namespace training_monitor::demo
