// What there is of a cluster or a job: as the caches have it, or as the server says.
#pragma once

#include <kcontrol/manager/manager.hpp>

#include "decide/job_plan.hpp"

#include <map>
#include <memory>
#include <stop_token>

namespace ray_operator {

using head_service = api::core::v1::service;
using batch_job = api::batch::v1::job;

/// Of the cluster's pods, Services and Jobs only those of Ray are cached; of RayClusters and RayJobs those that
/// `only_label` selects, all if it is empty.
manager_options watched(const std::string& only_label = {});

/// Reads from the informers of a manager, or from its server. The manager outlives it.
class observation {
public:
    /// Errors: those of the indexes that it adds.
    static result<observation> of(manager& m);

    cluster_facts cached(const ray_cluster& cluster) const;
    /// A cache that lags is no reason to make or delete pods, nor a node that it does not have yet: this asks the
    /// server.
    awaitable<result<cluster_facts>> asked(client server, ray_cluster cluster, std::stop_token stop) const;
    job_facts cached(const ray_job& job) const;
    /// The Service of a job's head; null: there is none.
    std::shared_ptr<const head_service> service_of(const ray_job& job) const;
    /// The clusters with pods on a node.
    std::vector<namespaced_name> clusters_on(std::string_view node) const;

private:
    explicit observation(manager& m);
    using nodes_by_name = std::map<std::string, std::shared_ptr<const ray_node>>;
    template <class Pods>
    cluster_facts read(const ray_cluster& cluster, const Pods& pods, const nodes_by_name* asked) const;

    std::shared_ptr<informer<ray_cluster>> clusters_;
    std::shared_ptr<informer<ray_pod>> pods_;
    std::shared_ptr<informer<head_service>> services_;
    std::shared_ptr<informer<batch_job>> jobs_;
    std::shared_ptr<informer<ray_node>> nodes_;
    store_index by_cluster_, by_node_;
    environment* env_;
};

}  // namespace ray_operator
