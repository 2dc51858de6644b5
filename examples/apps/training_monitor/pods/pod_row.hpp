// A pod as a line of its job's table, and which jobs it belongs to. Pure functions.
#pragma once

#include "pods/training_pod.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// How a container ended.
struct container_end {
    std::string container;
    std::int64_t code = 0;
    std::string reason;                       ///< the kubelet's: Error, OOMKilled, ContainerCannotRun…
    std::string message;                      ///< the container's own last words, or the kubelet's
    std::optional<std::int64_t> finished_at;  ///< seconds since the epoch
    bool init = false;
    bool earlier = false;  ///< it has been started again since

    friend bool operator==(const container_end&, const container_end&) = default;
};

/// A pod. Texts are cut to 1 KiB: anybody who can make a pod writes some of them.
struct pod_row {
    std::string name;
    std::string uid;
    std::string type;                   ///< the replica type as its job writes it: "Worker", "Pod"
    std::optional<std::int64_t> index;  /// among those of its type
    std::string node;
    std::string phase;  ///< Pending Running Succeeded Failed Unknown
    std::int64_t restarts = 0;
    std::optional<std::int64_t> created;  ///< seconds since the epoch
    std::string owner_kind, owner_uid;    ///< of its controller
    std::string reason, message;          ///< of the whole pod: Evicted…
    std::optional<container_end> failed;  ///< its first container that failed
    std::string waiting_container, waiting_reason, waiting_message;
    std::string unscheduled_reason, unscheduled_message;  ///< why it has no node, in the scheduler's words
    std::string disrupted_reason, disrupted_message;      ///< why the cluster ends it: preempted, its node is lost…
    std::optional<std::int64_t> disrupted_at;             ///< seconds since the epoch
    std::optional<std::int64_t> looped_at;                ///< when a container that restarted often last failed
    std::int64_t loops = 0;                               ///< how often that one restarted
    std::optional<std::int64_t> deleted_at;               ///< it is there no more; phase is what it was
    bool terminating = false;
    std::int64_t gpus = 0;  ///< that it asks for

    friend bool operator==(const pod_row&, const pod_row&) = default;
};

/// A job by its names.
struct job_ref {
    std::string cluster, namespace_, kind, name;

    friend auto operator<=>(const job_ref&, const job_ref&) = default;
};

/// Restarts of one container that make a crash loop, and how long after the last of them it goes on being one.
inline constexpr std::int64_t loop_restarts = 3;
inline constexpr std::int64_t loop_seconds = 600;

/// The pod's container restarts again and again. `now` in seconds since the epoch.
bool is_crash_looping(const pod_row& pod, std::int64_t now);

/// A message with what tells most in front: of a traceback its last line, the exception, and then the traceback. Others
/// stay as they are.
std::string most_telling_first(std::string_view message);

/// The scheduler's message without its clause about preemption.
std::string_view without_preemption(std::string_view message);

pod_row row_of(const training_pod& pod);

/// Why the pod is as it is, in its own words; empty if it says nothing.
struct pod_words {
    std::string reason, message;
};
pod_words words_of(const pod_row& pod);

/// The jobs that a pod is of: that of its labels, and for those of a JobSet or of a launcher the Job between as well,
/// which is shown where its owner is not.
std::vector<job_ref> jobs_of(const training_pod& pod, std::string_view cluster);

/// The label selectors that find the pods of jobs of these kinds and no others. A pod may fit two of them.
std::vector<std::string> pod_selectors(const std::vector<std::string>& kinds);

}  // namespace training_monitor
