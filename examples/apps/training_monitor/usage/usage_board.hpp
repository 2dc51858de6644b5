// The usage of the GPUs of running jobs, and of the fleet: the labelers of nodes are asked again and again, those of
// nodes without a job only while somebody looks.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "jobs/job_view.hpp"
#include "usage/job_usage.hpp"
#include "usage/usage_options.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor {

/// A running job and the pods that are known of it.
struct job_to_measure {
    std::shared_ptr<const job_view> job;
    std::vector<pod_row> pods;
};

/// Where the board learns what there is.
struct usage_sources {
    std::function<std::optional<kcontrol::client>(const std::string& cluster)> client_of;  ///< nothing: not engaged
    std::function<std::vector<std::string>()> clusters;
    std::function<std::vector<job_to_measure>(const std::string& cluster)> jobs;  ///< those that run and have GPUs
};

/// What is known of a cluster's labelers.
struct fleet_knowledge {
    enum class state_type {
        loading,    ///< they are being asked for the first time since somebody looks
        known,      ///< as of `at`
        forbidden,  ///< a right is missing: `reason` says what was refused
        failed,     ///< for `reason`; the nodes are those of before
    };
    state_type state = state_type::loading;
    std::string reason;
    std::shared_ptr<const node_answers> nodes;  ///< null: none are known
    std::optional<kcontrol::wall_time> at;
};

/// Of a cluster eight labelers are asked at a time, of four clusters; 4096 nodes of a cluster at most.
///
/// Thread-safety: shared objects unsafe; use it on the executor of the clusters' manager.
/// Object lifetime: the environment outlives it, and it outlives run().
class usage_board {
public:
    usage_board(kcontrol::environment& env, usage_options how, usage_sources from);

    /// Is told of each cluster whose jobs' usage was read anew.
    void on_news(std::function<void(const std::string& cluster)> f) { on_news_ = std::move(f); }

    /// What is known of the job; null: nothing yet.
    const job_usage* find(const job_view& job) const;
    /// Shows the jobs of a cluster that have been measured.
    void visit(const std::string& cluster,
               const std::function<void(const std::shared_ptr<const job_view>&, const job_usage&)>& f) const;

    /// Somebody looks at all nodes of this cluster. What is known now; more will be, soon.
    fleet_knowledge look(const std::string& cluster);
    /// The same, and nothing is asked for it.
    fleet_knowledge known(const std::string& cluster) const;
    void forget(const std::string& cluster) { known_.erase(cluster); }
    /// A right was missing when the cluster was asked last.
    bool lacks_right(const std::string& cluster) const;
    const usage_options& how() const noexcept { return how_; }

    kcontrol::awaitable<void> run(kcontrol::executor ex, std::stop_token stop);

private:
    struct measured_job {
        std::shared_ptr<const job_view> job;
        job_usage usage;
    };
    using job_key = std::tuple<std::string, std::string_view, std::string, std::string>;
    static job_key key_of(const job_view& job) { return {job.namespace_, job.kind, job.name, job.uid}; }
    struct entry {
        kcontrol::time_point due{};
        bool asking = false;
        std::optional<kcontrol::time_point> looked;
        std::map<job_key, measured_job> jobs;
        fleet_knowledge fleet;
    };
    // One time that a cluster's labelers are asked.
    struct round {
        std::vector<std::pair<std::string, std::string>> asks;  // node and pod
        std::size_t next = 0;
        node_answers answers;
        std::optional<kcontrol::error> refused;
        bool asked = false;  // there was reason to
    };

    void start_due(kcontrol::executor ex, std::stop_token stop,
                   const std::function<void(kcontrol::awaitable<void>)>& spawn);
    kcontrol::awaitable<void> ask(kcontrol::executor ex, std::string cluster, std::stop_token stop);
    kcontrol::awaitable<void> ask_all(kcontrol::executor ex, std::string cluster, std::shared_ptr<round> to,
                                      std::stop_token stop);
    kcontrol::duration pause_after(const entry& e, const round& done) const;
    kcontrol::awaitable<void> ask_some(kcontrol::client from, std::shared_ptr<round> to, std::stop_token stop);
    bool is_looked_at(const entry& e) const;
    void finish(const std::string& cluster, const std::vector<job_to_measure>& jobs, bool of_all, round& done);

    kcontrol::environment& env_;
    usage_options how_;
    usage_sources from_;
    std::function<void(const std::string&)> on_news_;
    std::map<std::string, entry> known_;
    std::size_t running_ = 0;
    kcontrol::async_event changed_;
};

}  // namespace training_monitor
