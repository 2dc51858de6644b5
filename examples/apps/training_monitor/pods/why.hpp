// Why a job failed or waits, from its pods and from events about it. A pure function.
#pragma once

#include "jobs/job_view.hpp"
#include "pods/pod_row.hpp"

#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// An event about a job, one of its pods, or its Workload (events.k8s.io as core/v1 shows it).
struct object_event {
    std::string kind, name;  ///< of what it is about
    std::string type;        ///< Normal, Warning
    std::string reason, message;
    std::int64_t count = 1;
    std::optional<std::int64_t> last_seen;  ///< seconds since the epoch

    friend bool operator==(const object_event&, const object_event&) = default;
};

/// What is known about a job beyond its object.
struct job_evidence {
    std::vector<pod_row> pods;
    std::vector<pod_row> deleted;         ///< that are not there any more
    std::optional<pod_row> gone_failure;  ///< the last pod that failed and is not there any more
    std::vector<object_event> events;
    std::int64_t at = 0;  ///< as of when, in seconds since the epoch
};

/// Why, in one sentence, and which pod and container that is about.
struct job_cause {
    std::string text;  ///< empty: nothing is known beyond what the job says
    std::string pod;   ///< empty: of none alone
    std::string container;
    bool earlier = false;  ///< the container has been started again since, or the pod is gone
    trouble what = trouble::none;
    kcontrol::boxed<job_failure> failure;  ///< of a container that failed

    friend bool operator==(const job_cause&, const job_cause&) = default;
};

/// The first that there is: of a job that failed or restarts, the container that failed first (of one that ran out of
/// time, what its object says); of one that waits, an image that can't be pulled, a container that can't be created, a
/// crash loop, a pod that no node takes, a volume that can't be mounted, pods that can't be created (quota, LimitRange,
/// webhooks), the queue. Pods of an earlier job of the same name do not count.
job_cause find_cause(const job_view& job, const job_evidence& evidence);

/// Writes into a job what its pods and events say: why, what keeps it from training, its replicas, and its state where
/// the operator does not see it: one that crash loops is Restarting, one that a quota or LimitRange refuses is Pending.
void explain(job_view& job, const job_evidence& evidence);

/// The pod is being made, and does not say what it waits for: events may.
bool is_silent(const pod_row& pod);

/// The replicas as the pods of an ended job say: an operator leaves the counts at what they were when it looked last.
/// A pod that was deleted while it ran is none of them. Types of which no pod is known stay as they are. True if that
/// changed them.
bool correct_replicas(job_view& job, const job_evidence& evidence);

/// The rank of a pod in its job, where the job's kind says one: Master is 0, and Workers follow it.
std::optional<std::int64_t> rank_of(const job_view& job, const pod_row& pod);

/// True if the pod is of this very job, and not of one before it of the same name.
bool is_of(const job_view& job, const pod_row& pod);

}  // namespace training_monitor
