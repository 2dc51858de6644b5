// Kueue's queues as far as they are shown. Fields as v1beta1 has them:
// https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta1/
#pragma once

#include <kcontrol/values/quantity.hpp>

#include "jobs/kinds.hpp"

#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

struct flavor_quota {
    std::string name;  ///< of the resource
    kcontrol::quantity nominal;
    std::optional<kcontrol::quantity> borrowing_limit;

    static constexpr auto kcontrol_fields() {
        using self = flavor_quota;
        return kcontrol::fields(kcontrol::field("name", &self::name), kcontrol::field("nominalQuota", &self::nominal),
                                kcontrol::field("borrowingLimit", &self::borrowing_limit));
    }
};

struct queue_flavor {
    std::string name;
    std::vector<flavor_quota> resources;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &queue_flavor::name),
                                kcontrol::field("resources", &queue_flavor::resources));
    }
};

struct resource_group {
    std::vector<queue_flavor> flavors;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("flavors", &resource_group::flavors));
    }
};

struct resource_use {
    std::string name;
    kcontrol::quantity total, borrowed;

    static constexpr auto kcontrol_fields() {
        using self = resource_use;
        return kcontrol::fields(kcontrol::field("name", &self::name), kcontrol::field("total", &self::total),
                                kcontrol::field("borrowed", &self::borrowed));
    }
};

struct flavor_use {
    std::string name;
    std::vector<resource_use> resources;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("name", &flavor_use::name),
                                kcontrol::field("resources", &flavor_use::resources));
    }
};

struct cluster_queue_spec {
    std::string cohort, queueing_strategy, stop_policy;
    std::vector<resource_group> resource_groups;

    static constexpr auto kcontrol_fields() {
        using self = cluster_queue_spec;
        return kcontrol::fields(kcontrol::field("cohort", &self::cohort),
                                kcontrol::field("queueingStrategy", &self::queueing_strategy),
                                kcontrol::field("stopPolicy", &self::stop_policy),
                                kcontrol::field("resourceGroups", &self::resource_groups));
    }
};

struct queue_status {
    std::int64_t pending = 0, reserving = 0, admitted = 0;
    std::vector<flavor_use> reservation;  ///< what Workloads hold of each flavor, admitted or about to be
    std::vector<job_condition> conditions;

    static constexpr auto kcontrol_fields() {
        using self = queue_status;
        return kcontrol::fields(kcontrol::field("pendingWorkloads", &self::pending),
                                kcontrol::field("reservingWorkloads", &self::reserving),
                                kcontrol::field("admittedWorkloads", &self::admitted),
                                kcontrol::field("flavorsReservation", &self::reservation),
                                kcontrol::field("conditions", &self::conditions));
    }
};

struct cluster_queue : projection_of<cluster_queue_spec, queue_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kueue.x-k8s.io", "v1beta1", "ClusterQueue",
                                                               "clusterqueues", kcontrol::resource_scope::cluster};
};

struct local_queue_spec {
    std::string cluster_queue;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("clusterQueue", &local_queue_spec::cluster_queue));
    }
};

struct local_queue : projection_of<local_queue_spec, queue_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kueue.x-k8s.io", "v1beta1", "LocalQueue",
                                                               "localqueues"};
};

}  // namespace training_monitor
