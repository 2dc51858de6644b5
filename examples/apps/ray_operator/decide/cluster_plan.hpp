// What is to be done for a cluster: a pure function of its specification, of what is there, and of the time.
#pragma once

#include "decide/facts.hpp"

namespace ray_operator {

class pod_creation {
public:
    bool head = false;
    std::size_t group = 0;  ///< of a worker: the place of its group in the specification
    std::string name;
    replica_place place;
};

class pod_deletion {
public:
    std::string name, uid;
    bool head = false;
    std::string why;
    bool whole = false;    ///< all pods of the cluster go
    bool at_once = false;  ///< without the pod's grace period
};

/// An Event.
class note {
public:
    bool warning = false;
    std::string reason, message;
    friend bool operator==(const note&, const note&) = default;
};

class cluster_plan {
public:
    bool touches_pods() const { return !create.empty() || !remove.empty(); }

    std::string hold;      ///< a finalizer that is added before anything else
    bool release = false;  ///< removes those of this operator
    bool clean_redis = false;
    std::set<std::string> end_groups;  ///< of Kueue, which holds their pods

    std::vector<pod_creation> create;
    std::vector<pod_deletion> remove;
    std::vector<note> notes;         ///< about a new generation of the specification: once
    std::optional<wall_time> again;  ///< when to look again although nothing changes
    bool more = false;               ///< there is more to create than one pass does
};

/// Pods that one pass creates at most, so that the growth of one cluster keeps no other one waiting.
inline constexpr std::size_t most_creations = 50;

/// Replicas that a group is to have: between minReplicas and maxReplicas, 0 of a suspended one.
std::int64_t wanted_replicas(const worker_group_spec& group);
/// Hosts of a replica; at least 1.
std::int64_t hosts_of(const worker_group_spec& group);
/// Workers that the cluster is to have.
std::int64_t wanted_workers(const ray_cluster_spec& spec);

/// Pods that start together or not at all: the head and minReplicas of all groups.
std::int32_t gang_size(const ray_cluster_spec& spec);
/// The group of those pods, another one for each start after a suspension.
std::string gang_name(const ray_cluster& cluster);

/// The cluster's specification is valid, unless the cluster is being deleted.
cluster_plan decide(const ray_cluster& cluster, const cluster_facts& seen, wall_time now);

/// What keeps the operator from making or deleting pods: the condition ReplicaFailure.
class replica_failure {
public:
    std::string reason, message;
};

/// The status as it is to be; `failure` of this pass, if there was one. The status that `cluster` has counts for what
/// can't be seen: whether it is suspending, and what was reached once.
ray_cluster_status next_status(const ray_cluster& cluster, const cluster_facts& seen,
                               const std::optional<replica_failure>& failure, wall_time now);
/// The same of one whose specification is refused: nothing but conditions changes.
ray_cluster_status refused_status(const ray_cluster& cluster, const std::string& why, wall_time now);

/// Pending, Provisioning, Running, Suspended or Failed: by the conditions, for people.
std::string_view phase_of(const ray_cluster_status& status);

}  // namespace ray_operator
