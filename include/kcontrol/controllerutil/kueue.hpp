// Kueue: pods that wait as one group until a queue admits them all, and what the queue says meanwhile.
// See https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/client/api_discovery.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::kueue {

/// On jobs and pods: the LocalQueue of their namespace in which they wait.
inline constexpr const char* queue_label = "kueue.x-k8s.io/queue-name";
/// On pods: the group that is admitted as one; its Workload has this name.
inline constexpr const char* group_label = "kueue.x-k8s.io/pod-group-name";

/// A pod, which is not created yet, waits in that queue by itself: it gets the scheduling gate that Kueue takes away.
KCONTROL_DECL void join_queue(std::string_view queue, api::core::v1::pod& to);

/// Makes a pod, which is not created yet, one of a group of `total`. It gets the scheduling gate that Kueue takes away,
/// and no other pod takes its place when it fails: the group ends with its last pod, and gives its quota back.
KCONTROL_DECL void join_group(std::string_view queue, std::string_view group, std::int32_t total,
                              api::core::v1::pod& to);

/// The Workloads that Kueue makes of groups and jobs, in whichever version the server has them.
///
/// Rights: get, list and delete of workloads in kueue.x-k8s.io. Thread-safety: shared objects unsafe; use it on the
/// client's executor. Errors: those of api_discovery::catalog(), client::get(), list() and delete_(), with the name.
class workloads {
public:
    /// Why a group of pods is not admitted, as the queue reports it; empty: no reason. That there is no
    /// Workload, or no Kueue, is such a reason too.
    KCONTROL_DECL awaitable<result<std::string>> pending_reason(client c, namespaced_name group, std::stop_token stop);
    /// The same of a job of any kind that Kueue knows, by its uid.
    KCONTROL_DECL awaitable<result<std::string>> pending_reason(client c, std::string ns, std::string job_uid,
                                                                std::stop_token stop);
    /// To be called when all pods of a group were deleted: Kueue keeps them, by a finalizer, for others that may take
    /// their places, until the group's Workload is deleted. One that is not there is done.
    KCONTROL_DECL awaitable<result<void>> end_group(client c, namespaced_name group, std::stop_token stop);

private:
    awaitable<result<const resource_info*>> kind(client c, std::stop_token stop);

    std::optional<api_discovery> server_;
};

}  // namespace kcontrol::kueue

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/kueue.ipp>
#endif
