// The pods of the jobs of all clusters: what is told of each, by job. A plain state machine, bounded in memory.
#pragma once

#include "pods/why.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

/// Pods beyond `most` are not kept, nor beyond `most_of_job` of one job: they are counted. Rows take some 0.5 KiB each.
class pod_limits {
public:
    pod_limits() = default;
    pod_limits& most(std::size_t n) { return most_ = n, *this; }
    pod_limits& most_of_job(std::size_t n) { return most_of_job_ = n, *this; }
    std::size_t most() const noexcept { return most_; }
    std::size_t most_of_job() const noexcept { return most_of_job_; }

private:
    std::size_t most_ = 200'000, most_of_job_ = 8192;
};

/// Thread-safety: shared objects unsafe.
class pod_table {
public:
    /// Only of jobs of these kinds; empty: of all.
    explicit pod_table(pod_limits limits = {}, std::vector<std::string> kinds = {})
        : limits_(limits), kinds_(std::move(kinds)) {}

    /// A pod as it is now. Returns the jobs of which something shown changed.
    std::vector<job_ref> set(const std::string& cluster, const training_pod& pod);
    /// It is not there any more, since `now` (seconds since the epoch). It is remembered as deleted, and how it failed
    /// or was disrupted, until its job goes, too, or a pod of its name comes. Of all, the 20,000 that went last are.
    std::vector<job_ref> remove(const std::string& cluster, const training_pod& pod, std::int64_t now = 0);
    /// Events about a job and its pods, in place of those before. True if they differ.
    bool set_events(const job_ref& job, std::vector<object_event> events);

    /// The job is not there any more: nothing is remembered of it but pods that still are.
    void forget(const job_ref& job);
    void forget_cluster(const std::string& cluster);

    /// What is known of a job; empty if nothing is. The pods are by type and index.
    job_evidence evidence(const job_ref& job) const;
    /// There is something to know of the job.
    bool has(const job_ref& job) const { return jobs_.contains(job); }

    /// The pods of a cluster's jobs, each once, though two jobs show it. Good until the next change.
    std::vector<const pod_row*> pods_of(const std::string& cluster) const;

    /// The pods of a cluster's jobs that are on a node, in the order of these jobs. Each once: of the jobs that show
    /// it, with the first that is in view. Good until the next change.
    std::vector<std::pair<job_ref, const pod_row*>> pods_on(const std::string& cluster, std::string_view node,
                                                            const std::function<bool(const job_ref&)>& in_view) const;

    /// A pod of the job is being made, and does not say what it waits for.
    bool has_silent_pod(const job_ref& job) const;

    std::size_t size() const noexcept { return size_; }
    /// Times that a pod found no room.
    std::uint64_t left_out() const noexcept { return left_out_; }

private:
    struct entry {
        std::map<std::string, pod_row> rows;     // by name
        std::map<std::string, pod_row> deleted;  // likewise: those that are there no more
        std::optional<pod_row> gone_failure;
        std::vector<object_event> events;
    };
    bool put(entry& to, pod_row row);
    bool wants(const job_ref& job) const;
    void keep_deleted(const job_ref& job, entry& of, pod_row row);
    void drop_empty(std::map<job_ref, entry>::iterator at);

    pod_limits limits_;
    std::vector<std::string> kinds_;
    std::map<job_ref, entry> jobs_;
    std::deque<std::pair<job_ref, std::string>> deleted_;  ///< as they went; some may be forgotten since
    std::size_t size_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace training_monitor
