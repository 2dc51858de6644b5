// The inside of a fake_cluster: what is to be looked at when, and what is remembered of pods and Jobs.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/pod_resources.hpp"
#include "testserver/cluster_events.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// A pod that is there, as its kubelet knows it.
class pod_record {
public:
    enum class stage { unbound, starting, running, ending };

    void enter(stage s, time_point now) { at = s, since = now; }

    namespaced_name key;
    std::string node;
    stage at = stage::unbound;
    time_point since;
    time_point bound;
    std::optional<time_point> lost;  // since when its node is
    std::int64_t restarts = 0;
    duration backoff{};  // before the run to come
    pod_behavior behavior;
    bool evicted = false;
};

/// What a pod that has not ended holds of its node.
class held_resources {
public:
    std::string node;
    resource_amounts amounts;
    bool admitted = false;  ///< by the node's kubelet
};

/// Where the scheduler puts a pod.
class placement {
public:
    std::string node;  ///< empty: nowhere
    std::string why;   ///< why nowhere, in the scheduler's words
};

/// A Job that is there: what became of its pods, those that are gone too.
class job_record {
public:
    std::set<std::string> succeeded, failed;  // uids
    std::set<std::int64_t> done;              // indexes
    std::optional<time_point> started, last_failure, over;
};

class rollout;

/// Looks at an object some time after it, or what belongs to it, has changed, and when it asked for that itself.
class fake_core : public std::enable_shared_from_this<fake_core> {
public:
    fake_core(environment& env, api_server& api, fake_cluster_options options);

    void begin();
    void end();
    bool idle() const noexcept { return due_.empty(); }

    bool end_pod(const namespaced_name& key, int exit_code, std::string message, bool evicts);
    void set_lost(const std::string& node, bool lost);

private:
    enum class part { pod, job, replica_set, deployment, account };
    using work = std::pair<part, namespaced_name>;
    /// In how long to look again, if anybody has to.
    using again = std::optional<duration>;

    void changed(const resource_type& type, change what, const json::value& object);
    void add_node(const std::string& name);
    void plan(const work& what, duration delay);
    void wake_pods(const std::string& node);
    void account_pod(change what, const json::value& pod);
    static awaitable<void> wait(std::shared_ptr<fake_core> self, work what, time_point when);
    again look_at(const work& what);

    again step_pod(const namespaced_name& key);
    again schedule(const json::value& pod, pod_record& record);
    placement choose_node(const json::value& pod) const;
    bool admit(const json::value& pod, const pod_record& record);
    again begin_run(const json::value& pod, pod_record& record);
    again start_pod(const json::value& pod, pod_record& record);
    again run_pod(const json::value& pod, pod_record& record);
    again finish_run(const json::value& pod, pod_record& record);
    again terminate_pod(const json::value& pod, pod_record& record);
    again lose_pod(const json::value& pod, pod_record& record);
    void write_status(const group_resource& id, const json::value& object, json::object changes);

    again step_job(const namespaced_name& key);
    again run_job(const json::value& job, const std::vector<json::value>& pods, job_record& record);
    again make_pods(const json::value& job, std::int64_t active, const std::set<std::int64_t>& taken,
                    job_record& record);
    void end_job(const json::value& job, const std::vector<json::value>& pods, const job_record& record,
                 std::string_view failure);
    void suspend_job(const json::value& job, const std::vector<json::value>& pods);
    again step_replica_set(const namespaced_name& key);
    again step_deployment(const namespaced_name& key);
    void plan_account(const group_resource& id, change what, const namespaced_name& key);
    again step_account(const namespaced_name& ns);
    json::value new_replica_set(const json::value& deployment, const std::vector<json::value>& all);
    void show_rollout(const json::value& deployment, const rollout& before, const rollout& now, std::int64_t missing);
    void scale(const json::value& deployment, const json::value& replica_set, std::int64_t replicas);
    void create_pod(const json::value& owner, std::string prefix, json::object annotations = {});
    /// As the controller of `owner`, which says so in an Event.
    void delete_owned_pod(const json::value& owner, const json::value& pod);
    void delete_pod(const json::value& pod, std::optional<std::int64_t> grace = std::nullopt);

    /// Writes an Event about an object, as the controller `component` does.
    void record_event(const json::value& about, bool warning, std::string reason, std::string message,
                      std::string_view component);
    void record_event(const event_note& note);
    void record_of_scheduler(const json::value& pod, const placement& found);

    std::string now_text() const;

    environment& env_;
    api_server& api_;
    fake_cluster_options options_;
    std::stop_source closing_;
    std::shared_ptr<void> listening_;
    std::map<work, time_point> due_;
    std::map<std::string, pod_record> pods_;       // by uid
    std::map<std::string, held_resources> held_;   // by uid: pods on nodes
    std::map<std::string, node_usage> used_;       // by the name of the node: the sum of held_
    std::map<std::string, node_usage> admitted_;   // likewise, of those that are admitted
    std::set<namespaced_name> unschedulable_;      // pods for which there was no node; retried when one leaves
    std::map<namespaced_name, std::size_t> runs_;  // begun, by the name of the pod
    std::map<std::string, job_record> jobs_;       // by uid
    std::set<std::string> lost_nodes_;
    event_maker events_;
    std::uint64_t addresses_ = 0;
};

}  // namespace kcontrol::testing::detail
