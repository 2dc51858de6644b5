// Which jobs are shown on their own and which as part of another one that is shown.
#pragma once

#include "jobs/cluster_view.hpp"
#include "jobs/job_view.hpp"

#include <set>
#include <string>
#include <utility>

namespace training_monitor {

/// The kinds whose objects the monitor sees in a cluster: (group, kind) and (apiVersion, kind).
class watched_kinds {
public:
    watched_kinds() = default;
    explicit watched_kinds(const cluster_view& cluster);

    bool has_group_kind(const std::string& group, const std::string& kind) const {
        return by_group_.contains({group, kind});
    }
    bool has(const std::string& api_version, const std::string& kind) const {
        return by_version_.contains({api_version, kind});
    }
    friend bool operator==(const watched_kinds&, const watched_kinds&) = default;

private:
    std::set<std::pair<std::string, std::string>> by_group_, by_version_;
};

/// The group of an apiVersion: "batch" of "batch/v1", "" of "v1".
std::string group_of(std::string_view api_version);

/// True if the owner is a JobSet, which may stand between a TrainJob and its Jobs.
bool is_job_set(const job_owner& owner);

/// True if the job is part of an object of a kind that is watched itself, or if the same object is watched under a
/// newer version of its API. Of a JobSet's Jobs this knows only what their labels say.
bool is_part_of_watched(const job_view& job, const std::optional<job_owner>& owner, bool part_of_train_job,
                        const watched_kinds& watched);

}  // namespace training_monitor
