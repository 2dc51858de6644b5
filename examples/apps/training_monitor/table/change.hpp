// What the table publishes: one visible change.
#pragma once

#include "jobs/cluster_view.hpp"
#include "jobs/job_view.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace training_monitor {

enum class change_type { job, job_removed, cluster, cluster_removed };

/// The name of the event on /api/v1/events.
constexpr std::string_view to_string(change_type type) noexcept {
    switch (type) {
    case change_type::job: return "job";
    case change_type::job_removed: return "job-removed";
    case change_type::cluster: return "cluster";
    case change_type::cluster_removed: return "cluster-removed";
    }
    return "";
}

/// Ids increase from change to change. Of a removal, the view is the last one shown.
struct change {
    std::uint64_t id = 0;
    change_type type = change_type::job;
    std::shared_ptr<const job_view> job;          ///< of job and job_removed
    std::optional<job_state> previous;            ///< of job: the state before, if it changed
    bool initial = false;                         ///< of job: it was there when its cluster was first listed
    std::shared_ptr<const cluster_view> cluster;  ///< of cluster and cluster_removed
    std::shared_ptr<const job_view> before;       ///< of job: as it was shown until now; null if it was not
    bool deleted = false;  ///< of job_removed: the cluster has it no more, rather than that it is no longer shown
};

}  // namespace training_monitor
