// Pods and events of jobs at work: watches the pods of training jobs in every cluster, asks for events of those jobs
// that wait or failed, and says why.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/subscription.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "pods/look_ups.hpp"
#include "pods/pod_table.hpp"
#include "pods/rights.hpp"
#include "table/change.hpp"

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

struct queued_workload;

/// Thread-safety: shared objects unsafe; use it on the executor of the clusters' manager.
/// Object lifetime: the environment outlives it, and it outlives the manager whose clusters it is told of.
class insight {
public:
    /// `kinds` are the jobs' that are watched, `namespaces` where; empty: in all.
    insight(kcontrol::environment& env, const std::vector<std::string>& kinds, std::vector<std::string> namespaces,
            kcontrol::logger log);

    /// Is told of a job about which something new is known, at most five times a second.
    void on_news(std::function<void(const job_ref&)> f) { on_news_ = std::move(f); }
    /// Finds a job by its names, so that it is known whom to ask for; null if it is not in view.
    void on_find(std::function<std::shared_ptr<const job_view>(const job_ref&)> f) { find_ = std::move(f); }

    void engage(kcontrol::engaged_cluster& cluster);
    void disengage(const std::string& cluster);
    /// What the cluster's informer of pods says of itself.
    void set_pods_right(const std::string& cluster, right_state now) { rights_[cluster].pods = now; }
    /// What the answers of GPU labelers say.
    void set_usage_right(const std::string& cluster, right_state now) {
        if (clusters_.contains(cluster)) rights_[cluster].usage = now;
    }

    /// A pod of a cluster, as it is or as it was last before it went.
    void take_pod(const std::string& cluster, const training_pod& pod, bool gone);

    /// Writes into a job why it is as it is, and its replicas as its pods say them. The same for the same pods.
    void explain(job_view& job) const;
    /// The job changed, or went: whether its events are to be asked for follows from that.
    void take(const std::vector<change>& changes);
    /// Tells of what is new now.
    void flush();

    /// Tells of what is new, little by little.
    kcontrol::awaitable<void> run_news(std::stop_token stop);
    /// Asks for events, one job after another. A node whose pod failed is watched for ten minutes, for it may tell of a
    /// fault later; at most 32 are. `ex` is the executor that it runs on.
    kcontrol::awaitable<void> run_questions(kcontrol::executor ex, std::stop_token stop);

    job_evidence evidence(const job_ref& job) const;
    /// Somebody looks at the job: its events are asked for soon, if they were not within the last 10 s.
    void look(const job_ref& job);
    cluster_rights rights(const std::string& cluster) const;
    /// The same with those that are asked for where somebody looks at a job: its pods' logs and its object.
    cluster_rights rights_for(const job_ref& job) const;
    /// The client of a cluster that is engaged, or nothing.
    std::optional<kcontrol::client> client_of(const std::string& cluster) const;

    const pod_table& pods() const noexcept { return pods_; }

private:
    struct watched {
        kcontrol::engaged_cluster* cluster;
        std::vector<std::shared_ptr<kcontrol::cached_source>> sources;
        std::vector<kcontrol::subscription> subscriptions;
    };
    struct review_of_rights {
        right_state logs = right_state::unknown, yaml = right_state::unknown;
        kcontrol::time_point at;
    };
    void mark(const job_ref& job);
    std::int64_t seconds_now() const;
    void watch_loop(const job_view& job, const job_ref& ref);
    std::optional<kcontrol::time_point> next_news() const;
    struct node_key {
        std::string cluster, name;
        friend auto operator<=>(const node_key&, const node_key&) = default;
    };
    // Whose version is empty: the node's fault is known, or the node is not.
    struct asked_node {
        std::string name, version;
    };
    kcontrol::awaitable<asked_node> ask(job_ref job, std::stop_token stop);
    kcontrol::awaitable<void> watch_node(node_key node, std::string version, std::stop_token stop);
    void tell_fault(const node_key& node, const object_event& fault);
    kcontrol::awaitable<void> review(job_ref job, std::stop_token stop);
    kcontrol::awaitable<void> ask_about(kcontrol::client from, const job_ref& job, std::string uid,
                                        std::vector<object_event>& into, std::stop_token stop);
    kcontrol::awaitable<void> ask_queue(kcontrol::client from, const job_ref& job, std::string uid,
                                        std::vector<object_event>& into, std::stop_token stop);
    kcontrol::awaitable<std::string> ask_position(kcontrol::client from, const job_ref& job,
                                                  const queued_workload& workload, std::stop_token stop);

    kcontrol::environment& env_;
    std::vector<std::string> selectors_, namespaces_;
    kcontrol::logger log_;
    pod_table pods_;
    look_ups questions_;
    std::set<job_ref> changed_jobs_, looked_at_;
    std::map<job_ref, kcontrol::time_point> loops_;  ///< jobs that crash loop, and when that may be over
    std::map<std::string, watched> clusters_;
    std::map<std::string, cluster_rights> rights_;
    std::map<std::string, kcontrol::time_point> ask_not_before_;
    std::map<node_key, std::set<job_ref>> watched_nodes_;  ///< and the jobs that failed there
    std::map<job_ref, review_of_rights> reviews_;          ///< by cluster, namespace and kind, without a name
    kcontrol::async_event news_, question_;
    std::function<void(const job_ref&)> on_news_;
    std::function<std::shared_ptr<const job_view>(const job_ref&)> find_;
};

/// The job by its names.
job_ref ref_of(const job_view& job);

}  // namespace training_monitor
