// The table of jobs and clusters: events of clusters in, visible changes out. A plain state machine.
#pragma once

#include "jobs/job_view.hpp"
#include "jobs/ownership.hpp"
#include "table/change.hpp"
#include "table/job_counts.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace training_monitor {

/// What a reader wants to see; an empty set does not restrict.
struct job_filter {
    std::set<std::string, std::less<>> clusters, namespaces, kinds;
    std::set<job_state> states;

    bool matches(const job_view& job) const;
    /// It matches every job.
    bool empty() const noexcept { return clusters.empty() && namespaces.empty() && kinds.empty() && states.empty(); }
};

/// What happened so far, for --demo and /metrics.
struct table_counters {
    std::uint64_t jobs = 0;         ///< jobs that became visible; a cluster that returns brings its jobs anew
    std::uint64_t transitions = 0;  ///< changes from one state of a job to another
    std::uint64_t duplicates = 0;   ///< events that brought what was known already
    std::uint64_t lost = 0;         ///< events about a job whose addition never came
};

/// Thread-safety: shared objects unsafe. The views it hands out are immutable.
class job_table {
public:
    using job_list = std::vector<std::shared_ptr<const job_view>>;
    using cluster_list = std::vector<std::shared_ptr<const cluster_view>>;

    /// Writes into each job what is known beyond its object; the same for the same. Set before the first event.
    void on_explain(std::function<void(job_view&)> f) { explain_ = std::move(f); }
    /// What is known of the job beyond its object changed.
    std::vector<change> explain_again(std::string_view cluster, std::string_view namespace_, std::string_view kind,
                                      std::string_view name);

    // What informers report. Each returns the visible changes in order; none if nothing visible changed.
    std::vector<change> add(observed_job job, bool initial = false);
    std::vector<change> update(observed_job job);
    std::vector<change> remove(const observed_job& last);

    /// A cluster joined, or its state or that of its kinds changed. Which jobs are shown follows the kinds that are
    /// watched there (ownership.hpp).
    std::vector<change> set_cluster(cluster_view cluster);
    /// A cluster left: its jobs leave the view first.
    std::vector<change> remove_cluster(const std::string& name);

    /// Sorted by cluster, namespace, name and kind.
    job_list jobs(const job_filter& filter = {}) const;
    /// jobs() without a filter, made once for all who ask before the next change.
    std::shared_ptr<const job_list> all_jobs() const;
    /// Shows each of jobs() to `f`, in that order, without a copy. The views are good until the next change.
    void visit(const std::function<void(const job_view&)>& f) const;
    /// The job of that name in view, or null.
    std::shared_ptr<const job_view> find(std::string_view cluster, std::string_view namespace_, std::string_view kind,
                                         std::string_view name) const;
    /// What its cluster last said of it beyond the view. Nothing if no such job is in view.
    std::optional<job_details> details(std::string_view cluster, std::string_view namespace_, std::string_view kind,
                                       std::string_view name) const;
    /// How many jobs() there are without a filter.
    std::size_t size() const noexcept { return shown_; }
    /// Sorted by name.
    cluster_list clusters() const;

    /// jobs() by state, and their GPUs.
    const job_counts& counts() const noexcept { return counts_; }

    const table_counters& counters() const noexcept { return counters_; }

    /// The last id given out.
    std::uint64_t last_id() const noexcept { return last_id_; }
    /// Takes `count` ids for events that are not changes (a present state); returns the first.
    std::uint64_t reserve_ids(std::uint64_t count);

private:
    struct object_words {
        job_state state;
        std::string reason, message;
        std::vector<replica_counts> replicas;
    };
    struct entry {
        std::shared_ptr<const job_view> view;
        std::string resource_version;
        std::optional<job_owner> owner;
        job_source source;
        std::unique_ptr<const object_words> told;  ///< by the object, where the view differs
        bool part_of_train_job = false;
        bool shown = false;
        bool counted = false;
    };
    using job_key = std::tuple<std::string, std::string, std::string_view, std::string_view>;  // and kind, apiVersion
    struct cluster_entry {
        std::shared_ptr<const cluster_view> view;       ///< null until set_cluster
        std::shared_ptr<const cluster_view> published;  ///< as it was in its last change
        watched_kinds watched;
        std::map<job_key, entry> jobs;
        std::map<std::pair<std::string, std::string>, std::set<job_key>> by_job_set;  ///< Jobs of a JobSet
    };

    std::shared_ptr<const job_view> explained(job_view view, entry& of) const;
    static job_key key_of(const job_view& view);
    const entry* find_entry(std::string_view cluster, std::string_view namespace_, std::string_view kind,
                            std::string_view name) const;
    static bool visible(const cluster_entry& cluster, const entry& e);
    void show(const cluster_entry& cluster, entry& e, std::shared_ptr<const job_view> before, bool initial,
              std::vector<change>& out);
    void refresh(const cluster_entry& cluster, entry& e, std::vector<change>& out);
    std::vector<change> apply(const cluster_entry& cluster, entry& e, observed_job job);
    void refresh_job_set(cluster_entry& cluster, const job_view& train_job, std::vector<change>& out);
    void hide(entry& e, const job_view& before, bool deleted, std::vector<change>& out);
    void forget(cluster_entry& cluster, std::map<job_key, entry>::iterator at, std::vector<change>& out);
    change next(change_type type) {
        change out;
        out.id = ++last_id_;
        out.type = type;
        return out;
    }

    std::function<void(job_view&)> explain_;
    std::map<std::string, cluster_entry, std::less<>> clusters_;
    std::uint64_t last_id_ = 0;
    table_counters counters_;
    job_counts counts_;  ///< of what is shown
    std::size_t shown_ = 0;
    mutable std::shared_ptr<const job_list> all_jobs_;  ///< null: something has changed since
};

}  // namespace training_monitor
