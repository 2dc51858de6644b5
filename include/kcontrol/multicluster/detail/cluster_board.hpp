// Where every cluster leaves what its metrics are made of, for whoever asks on another thread.
#pragma once

#include <kcontrol/client/request_counts.hpp>
#include <kcontrol/cluster/informer_metrics.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/controller/stats.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>
#include <kcontrol/record/recorder_set.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::detail {

/// Thread-safety: shared objects safe.
class cluster_board {
public:
    struct entry {
        cluster_state state = cluster_state::connecting;
        std::uint64_t generation = 0;
        std::vector<informer_report> informers;
        read_counts_by_kind reads;
        audit_counts_by_kind audits;
        std::vector<recorder_report> recorders;
        request_counts requests;
        std::map<std::string, controller_stats> controllers;  // by name
    };

    void set(const std::string& cluster, entry now) {
        const std::lock_guard lock(mutex_);
        clusters_[cluster] = std::move(now);
    }
    void remove(const std::string& cluster) {
        const std::lock_guard lock(mutex_);
        clusters_.erase(cluster);
    }

    /// What a controller has counted until its end, which its cluster's entry has no longer: a sum never falls.
    void retire(const std::string& cluster, const std::string& controller, controller_stats last) {
        last.retire();
        const std::lock_guard lock(mutex_);
        retired_[controller].add(last);
        if (const auto found = clusters_.find(cluster); found != clusters_.end()) {
            found->second.controllers.erase(controller);
        }
    }

    void set_leadership(const std::string& lease, const leader_stats& now) {
        const std::lock_guard lock(mutex_);
        lease_ = lease;
        leader_ = now;
    }

    void write(metrics_writer& out, wall_time now) const {
        const std::lock_guard lock(mutex_);
        if (leader_) write_leader_metrics(out, lease_, *leader_);
        for (const auto& [name, cluster] : clusters_) {
            for (const cluster_state one : {cluster_state::connecting, cluster_state::live, cluster_state::degraded,
                                            cluster_state::unreachable, cluster_state::failed}) {
                out.gauge("kcontrol_cluster_state", "1 for the state that the cluster is in, 0 for the others.",
                          {{"cluster", name}, {"state", std::string(to_string(one))}}, one == cluster.state ? 1 : 0);
            }
            out.counter("kcontrol_cluster_configurations_total", "Configurations that were put to use.",
                        {{"cluster", name}}, static_cast<double>(cluster.generation));
            write_informer_metrics(out, name, cluster.informers, now);
            write_read_metrics(out, name, cluster.reads);
            write_audit_metrics(out, name, cluster.audits);
            // Two clusters may be behind one host.
            write_request_metrics(out, cluster.requests, {{"cluster", name}});
            write_recorder_metrics(out, name, cluster.recorders);
        }
        write_controllers(out);
    }

private:
    // Sums over the clusters, so that there are as many series for a thousand of them as for one.
    void write_controllers(metrics_writer& out) const {
        std::map<std::string, controller_stats> all = retired_;
        for (const auto& [name, cluster] : clusters_) {
            for (const auto& [controller, stats] : cluster.controllers) all[controller].add(stats);
        }
        for (const auto& [name, stats] : all) write_controller_metrics(out, name, stats);
    }

    mutable std::mutex mutex_;
    std::map<std::string, entry> clusters_;
    std::map<std::string, controller_stats> retired_;  // by the controllers' names
    std::string lease_;
    std::optional<leader_stats> leader_;  // nothing without leader election
};

}  // namespace kcontrol::detail
