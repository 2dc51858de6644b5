// What is there of a cluster: its pods, its head's Service, the nodes. Read from objects; nothing is decided here.
#pragma once

#include <kcontrol/api/batch/v1.hpp>

#include "api/ray_cluster.hpp"
#include "pods/ray_pod.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ray_operator {

struct named_container {
    text name;
    static constexpr auto kcontrol_fields() { return fields(field("name", &named_container::name)); }
};

struct ray_pod_spec {
    text node_name, restart_policy;
    list<named_container> containers, scheduling_gates;
    static constexpr auto kcontrol_fields() {
        using self = ray_pod_spec;
        return fields(field("nodeName", &self::node_name), field("restartPolicy", &self::restart_policy),
                      field("containers", &self::containers), field("schedulingGates", &self::scheduling_gates));
    }
};

/// A pod of a cluster, as far as the operator reads it: nothing else is decoded or cached.
struct ray_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    ray_pod_spec spec;
    api::core::v1::pod_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &ray_pod::spec), field("status", &ray_pod::status));
    }
};

struct ray_node_spec {
    list<api::core::v1::taint> taints;
    static constexpr auto kcontrol_fields() { return fields(field("taints", &ray_node_spec::taints)); }
};
struct ray_node_status {
    list<api::core::v1::node_condition> conditions;
    dict<quantity_text> allocatable;
    static constexpr auto kcontrol_fields() {
        return fields(field("conditions", &ray_node_status::conditions),
                      field("allocatable", &ray_node_status::allocatable));
    }
};
struct ray_node {
    static constexpr resource_name kcontrol_resource{"", "v1", "Node", "nodes", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    ray_node_spec spec;
    ray_node_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &ray_node::spec), field("status", &ray_node::status));
    }
};

/// One pod.
class pod_fact {
public:
    /// Whether it holds its place in its group: no other pod is made for it.
    bool counts(wall_time now) const { return ended.empty() && !(deletion && *deletion <= now) && !is_lost(now); }
    bool is_lost(wall_time now) const { return lost_at && *lost_at <= now; }

    std::string name, uid, group;
    bool head = false;
    bool started = false;                 ///< it runs, or has run
    bool running = false, ready = false;  ///< its phase is Running; its condition Ready is not False
    std::string ended;                    ///< why it will never run again; empty: it may
    std::optional<wall_time> deletion;    ///< by when it is to be gone
    std::optional<wall_time> lost_at;     ///< when its node counts as lost; the epoch: the node is absent
    wall_time created{};
    replica_place place;
    std::string waits;  ///< why it has no node
    std::optional<wall_time> waits_since;
    bool queued = false;      ///< a queue of Kueue holds it back
    std::string queue_group;  ///< its group there, if it is one of several that are admitted together
    std::string digest;       ///< of its template; empty: unknown
    std::string ip;
    std::string ready_status, ready_reason, ready_message;  ///< of its condition Ready, as it is
};

/// A Service, as far as the status shows it.
class service_fact {
public:
    std::string name, cluster_ip;
    std::map<std::string, std::string> endpoints;  ///< by the name of the port
};

/// A Job that submits, or cleans up.
class batch_job_fact {
public:
    bool leaving = false, failed = false;
    std::string reason, message;  ///< of its failure
    std::optional<wall_time> finished;
};

class cluster_facts {
public:
    std::vector<pod_fact> pods;  ///< by name
    std::optional<service_fact> head_service;
    std::optional<batch_job_fact> cleanup;  ///< of Redis
    std::vector<std::shared_ptr<const ray_node>> nodes;
    std::set<std::string> foreign;  ///< of workersToDelete: pods of another cluster, or of none
};

/// How long a node may be not ready before its pods count as lost, and a pod held back before that is told.
inline constexpr duration node_grace = std::chrono::seconds(60), hold_grace = std::chrono::seconds(60);

/// `node`: that of the pod; null: there is none of that name, or the pod has no node yet.
pod_fact read_pod(const ray_pod& pod, const ray_node* node);
service_fact read_service(const api::core::v1::service& service);
batch_job_fact read_job(const api::batch::v1::job& job);
/// Since when a node is not ready; nothing: it is ready.
std::optional<wall_time> unready_since(const ray_node& node);

}  // namespace ray_operator
