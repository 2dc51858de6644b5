// What is there of a job's ranks and gates: as the caches have it, or as the server says.
#pragma once

#include <kcontrol/manager/manager.hpp>

#include "control/priority_level.hpp"
#include "decide/facts.hpp"
#include "job/training_job.hpp"

#include <memory>
#include <stop_token>

namespace training_operator {

/// Of the cluster's pods and Jobs only those of its jobs are cached: options of a manager that an observation reads.
manager_options watched();

/// Reads ranks and gates, from the informers of a manager or from the server. The manager outlives it.
class observation {
public:
    /// Errors: those of the index that it adds.
    static result<observation> of(manager& m);

    facts cached(const training_job& job) const;
    /// What a cache does not have yet, or still has, is no reason to make or end pods: this asks the server.
    awaitable<result<facts>> asked(client server, training_job job, std::stop_token stop) const;

    /// Of its PriorityClass, by the cluster's default where it names none; 0 where there is neither.
    std::int32_t priority_of(const training_job& job) const;
    /// How long the jobs that are Starting or Queued have waited on the average.
    duration average_wait(wall_time now) const;
    /// Whether the job's gang fits on what is free of the nodes now.
    awaitable<result<bool>> fits(client server, training_job job, std::stop_token stop) const;

    /// The jobs with pods on a node.
    std::vector<namespaced_name> jobs_on(std::string_view node) const;
    /// Waits until the cache has what was written, for a while.
    awaitable<void> seen(object_meta written, std::stop_token stop) const;

private:
    explicit observation(manager& m);
    template <class Gates, class Pods>
    facts read(const training_job& job, const Gates& gates, const Pods& pods) const;

    manager* manager_;
    std::shared_ptr<informer<training_job>> jobs_;
    std::shared_ptr<informer<rank_pod>> pods_;
    std::shared_ptr<informer<gate_job>> gates_;
    std::shared_ptr<informer<rank_node>> nodes_;
    std::shared_ptr<informer<priority_level>> priorities_;
    store_index pods_by_job_, gates_by_job_, by_node_;
};

/// The job that a pod is labelled with.
namespaced_name job_of(const rank_pod& pod);

}  // namespace training_operator
