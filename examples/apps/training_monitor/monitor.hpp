// The monitor's core at work: clusters feed the table, and what visibly changes there is published.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "gpus/gpu_board.hpp"
#include "options.hpp"
#include "pods/insight.hpp"
#include "table/job_table.hpp"
#include "usage/usage_board.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// Takes visible changes: those that one event brought, in order.
using change_handler = std::function<void(const std::vector<change>&)>;

/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment outlives it.
class monitor {
public:
    /// Of the options it takes kinds, namespaces, and what they say of the GPUs' usage and of the fleet. `home` has the
    /// Leases of a shard group; without a group it is not used.
    monitor(kcontrol::environment& env, kcontrol::executor ex, const options& o,
            kcontrol::http::transport_factory transport, kcontrol::logger log, kcontrol::client_options treats = {},
            kcontrol::auth::cluster_config home = {});

    /// Engages the clusters of `source`. `publish` gets every change from now on; it may be empty.
    /// Errors: the source can't work at all.
    kcontrol::result<void> start(std::unique_ptr<kcontrol::cluster_source> source, change_handler publish);

    /// Disengages all clusters. That this empties the table is not published: the clusters did not leave. Idempotent.
    kcontrol::awaitable<void> stop();

    /// Waits until every cluster that there should be is completely in view (true), or until it is clear that some will
    /// not be (false): they fail still after `patience`, or are not done after `deadline`.
    kcontrol::awaitable<bool> wait_complete(std::stop_token stop, kcontrol::duration patience,
                                            kcontrol::duration deadline);

    job_table& table() noexcept { return table_; }
    /// Pods and events of the jobs.
    insight& knowledge() noexcept { return insight_; }
    /// GPUs of the clusters' nodes.
    gpu_board& gpus() noexcept { return gpus_; }
    /// How busy GPUs are; null without --gpu-usage.
    usage_board* usage() noexcept { return usage_ ? &*usage_ : nullptr; }
    /// Is told of each cluster whose jobs' usage was read anew.
    void on_usage(std::function<void(const std::string& cluster)> f) { on_usage_ = std::move(f); }
    /// What the library counts: requests, informers and states of each cluster.
    kcontrol::metrics_registry& metrics() noexcept { return counts_; }
    /// Where the calls of clusters' clients belong.
    kcontrol::executor clusters_executor() const { return clusters_->get_executor(); }

private:
    void tell(const std::vector<change>& changes);
    void measure_usage(const usage_options& how);
    std::vector<job_to_measure> jobs_to_measure(const std::string& cluster) const;
    void take_status(const kcontrol::cluster_status& status);
    void log_state(const cluster_view& shown, std::string_view of_library);
    void take_event(const std::string& cluster, const kcontrol::resource_info& info, const kcontrol::any_event& event);

    // As the log last had a cluster: the library's word for it, and the one that is shown.
    struct logged_state {
        std::string of_library, shown;
    };

    kcontrol::environment& env_;
    kcontrol::logger log_;
    std::string source_of_clusters_;  ///< in words
    std::map<std::string, logged_state> logged_;
    job_table table_;
    insight insight_;
    gpu_board gpus_{env_, [this](const std::string& cluster) { return insight_.client_of(cluster); }};
    std::optional<usage_board> usage_;
    std::function<void(const std::string&)> on_usage_;
    change_handler publish_;
    bool stopping_ = false;
    std::optional<std::vector<std::string>> expected_;  ///< names of the clusters that there should be, once known
    kcontrol::async_event changed_;
    kcontrol::metrics_registry counts_;
    std::unique_ptr<kcontrol::cluster_source> source_;
    std::unique_ptr<kcontrol::multicluster_manager> clusters_;
    std::stop_source ending_;
    std::optional<kcontrol::task_group> tasks_;
};

}  // namespace training_monitor
