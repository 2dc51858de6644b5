// Where every cluster leaves what its metrics are made of, for whoever asks on another thread.
#pragma once

#include <kcontrol/client/request_counts.hpp>
#include <kcontrol/cluster/informer_metrics.hpp>
#include <kcontrol/cluster/read_counts.hpp>
#include <kcontrol/controller/stats.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>
#include <kcontrol/multicluster/sharding_options.hpp>
#include <kcontrol/record/recorder_set.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: shared objects safe.
class cluster_board {
public:
    /// The first `most_clusters` by name have series of their own.
    explicit cluster_board(std::size_t most_clusters) : most_(most_clusters) {}

    struct breaker_report {
        bool there = false, shut = false;
        std::uint64_t trips = 0, refused = 0;
    };
    struct entry {
        cluster_state state = cluster_state::connecting;
        std::uint64_t generation = 0;
        std::vector<informer_report> informers;
        read_counts_by_kind reads;
        audit_counts_by_kind audits;
        std::vector<recorder_report> recorders;
        request_counts requests;
        std::map<std::string, controller_stats> controllers;  // by name
        breaker_report breaker;
        std::optional<std::size_t> requests_waiting;  // nothing where any number may be under way
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

    void set_sharding(const std::string& group, const sharding_stats& now) {
        const std::lock_guard lock(mutex_);
        group_ = group;
        sharding_ = now;
    }

    void write(metrics_writer& out, wall_time now) const {
        const std::lock_guard lock(mutex_);
        if (leader_) write_leader_metrics(out, lease_, *leader_);
        if (sharding_) write_sharding(out);
        write_totals(out);
        std::size_t shown = 0;
        for (const auto& [name, cluster] : clusters_) {
            if (shown++ == most_) break;
            for (const cluster_state one : states) {
                out.gauge("kcontrol_cluster_state", "1 for the state that the cluster is in, 0 for the others.",
                          {{"cluster", name}, {"state", std::string(to_string(one))}}, one == cluster.state ? 1 : 0);
            }
            out.counter("kcontrol_cluster_configurations_total", "Configurations that were put to use.",
                        {{"cluster", name}}, static_cast<double>(cluster.generation));
            write_budget(out, name, cluster);
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
    static constexpr std::array states{cluster_state::connecting, cluster_state::live, cluster_state::degraded,
                                       cluster_state::unreachable, cluster_state::failed};

    // Of the bounds that there are.
    static void write_budget(metrics_writer& out, const std::string& name, const entry& cluster) {
        const metric_labels of{{"cluster", name}};
        if (cluster.breaker.there) {
            out.gauge("kcontrol_cluster_breaker_shut", "1 while requests are refused, for the cluster does not answer.",
                      of, cluster.breaker.shut ? 1 : 0);
            out.counter("kcontrol_cluster_breaker_trips_total", "Times the breaker shut.", of,
                        static_cast<double>(cluster.breaker.trips));
            out.counter("kcontrol_cluster_requests_refused_total", "Requests that the breaker refused.", of,
                        static_cast<double>(cluster.breaker.refused));
        }
        if (cluster.requests_waiting) {
            out.gauge("kcontrol_cluster_requests_waiting", "Requests that wait, for as many as may be are under way.",
                      of, static_cast<double>(*cluster.requests_waiting));
        }
    }

    void write_totals(metrics_writer& out) const {
        for (const cluster_state one : states) {
            const auto count = std::count_if(clusters_.begin(), clusters_.end(),
                                             [one](const auto& each) { return each.second.state == one; });
            out.gauge("kcontrol_clusters", "Clusters that are engaged, by state.",
                      {{"state", std::string(to_string(one))}}, static_cast<double>(count));
        }
        const std::size_t without = clusters_.size() - std::min(clusters_.size(), most_);
        out.gauge("kcontrol_clusters_without_series", "Clusters that have no series of their own: there are too many.",
                  {}, static_cast<double>(without));
    }

    void write_sharding(metrics_writer& out) const {
        const metric_labels of{{"group", group_}};
        const auto gauge = [&](const char* name, const char* help, const metric_labels& labels, double value) {
            out.gauge(std::string("kcontrol_sharding_") + name, help, labels, value);
        };
        const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
            out.counter(std::string("kcontrol_sharding_") + name, help, of, static_cast<double>(value));
        };
        gauge("member", "1 while this replica's own Lease is held.", of, sharding_->member ? 1 : 0);
        gauge("peers", "Replicas that give signs of life, this one included.", of,
              static_cast<double>(sharding_->peers));
        const char* const help = "Clusters that are this replica's, or are to become so.";
        gauge("clusters", help, {{"group", group_}, {"state", "held"}}, static_cast<double>(sharding_->clusters));
        gauge("clusters", help, {{"group", group_}, {"state", "waiting"}}, static_cast<double>(sharding_->waiting));
        counter("taken_total", "Times a cluster became this replica's.", sharding_->acquired);
        counter("given_away_total", "Times this replica gave a cluster away, or lost it.", sharding_->released);
        counter("expelled_total", "Replicas that this one took for dead.", sharding_->removed_peers);
        counter("request_failures_total", "Requests about Leases of the sharding that failed.", sharding_->failures);
    }

    // Sums over the clusters, so that there are as many series for a thousand of them as for one.
    void write_controllers(metrics_writer& out) const {
        std::map<std::string, controller_stats> all = retired_;
        for (const auto& [name, cluster] : clusters_) {
            for (const auto& [controller, stats] : cluster.controllers) all[controller].add(stats);
        }
        for (const auto& [name, stats] : all) write_controller_metrics(out, name, stats);
    }

    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<std::string, entry> clusters_;
    std::map<std::string, controller_stats> retired_;  // by the controllers' names
    std::string lease_;
    std::optional<leader_stats> leader_;  // nothing without leader election
    std::string group_;
    std::optional<sharding_stats> sharding_;  // likewise
};

}  // namespace kcontrol::detail
