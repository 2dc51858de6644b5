// What is there of a job's ranks: as the caches have it, or as the server says.
#pragma once

#include <kcontrol/manager/manager.hpp>

#include "gang/rank.hpp"
#include "job/training_job.hpp"

#include <memory>
#include <stop_token>

namespace training_operator {

/// Reads ranks, from the informers of a manager or from the server. The manager outlives it.
class observation {
public:
    /// Errors: those of the index that it adds.
    static result<observation> of(manager& m);

    gang cached(const training_job& job) const;
    /// What a cache does not have yet, or still has, is no reason to make or end pods: this asks the server.
    awaitable<result<gang>> asked(training_job job, std::stop_token stop) const;

    /// The jobs with ranks on a node.
    std::vector<namespaced_name> jobs_on(std::string_view node) const;
    /// Waits until the cache has what was written, for a while.
    awaitable<void> seen(object_meta written, std::stop_token stop) const;

private:
    explicit observation(manager& m);
    rank read(const rank_pod& pod) const;

    manager* manager_;
    std::shared_ptr<informer<training_job>> jobs_;
    std::shared_ptr<informer<rank_pod>> pods_;
    std::shared_ptr<informer<rank_node>> nodes_;
    store_index by_owner_, by_node_;
};

}  // namespace training_operator
