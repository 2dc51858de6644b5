// What controllers that make pods ask of them: what has become of one, why it does not run, how a container ended, and
// who ended it; and the environment that they give to containers.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// "Unschedulable: 0/3 nodes are available": a reason and a message, or the one that is not empty; at most so many
/// bytes, and no character is cut in two.
KCONTROL_DECL std::string reason_text(std::string_view reason, std::string_view message, std::size_t most = 1000);

/// Why a pod waits: the scheduler's reason, or the kubelet's for the first waiting container. Empty: none is known.
KCONTROL_DECL std::string waiting_reason(const api::core::v1::pod_status& pod);

/// How that container ended, or the init container that failed before it could begin. Null: it has not. Points into
/// `pod`.
KCONTROL_DECL const api::core::v1::container_state_terminated* end_of_container(const api::core::v1::pod_status& pod,
                                                                                std::string_view container);

/// Whether a pod that failed was taken away: preempted, evicted, or refused by its kubelet.
KCONTROL_DECL bool is_disrupted(const api::core::v1::pod_status& pod);

/// `ended_well` and `failed` are about one container of a pod, its first: others may go on.
enum class pod_state { waiting, running, ended_well, failed };

/// What has become of a pod that runs one program, beside whatever else is in it.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class pod_summary {
public:
    std::string name;                      ///< of the pod, in its namespace
    std::string uid;                       ///< of the pod: a later one of that name has another
    std::string node;                      ///< empty: none yet
    pod_state state = pod_state::waiting;  ///< of its first container, or as its phase says
    bool over = false;                     ///< all containers have ended
    bool leaving = false;                  ///< it is being deleted
    bool gated = false;                    ///< somebody keeps it from being scheduled
    bool disrupted = false;                ///< of a failed one: the program is not to blame (evicted, preempted…)
    std::int32_t exit_code = 0;            ///< of a failed one that is not disrupted
    std::string reason;                    ///< of its end, where that says more than "Error" or "Completed"
    std::string message;                   ///< of its end: what the program left in its termination message
    std::string words;                     ///< for people: what it waits for, or both of these
    std::vector<std::string> images;       ///< with digests, where the kubelet says them
    std::optional<wall_time> ended;        ///< if the pod says when

    friend bool operator==(const pod_summary&, const pod_summary&) = default;
};

namespace detail {

/// The same of its parts.
KCONTROL_DECL pod_summary summarize(const object_meta& metadata, std::string_view node, std::string_view container,
                                    bool gated, const api::core::v1::pod_status& status);

}  // namespace detail

/// The summary of a pod, or of a projection that has metadata, status, and of spec nodeName, schedulingGates and the
/// names of the containers.
template <class Pod>
pod_summary summarize(const Pod& pod) {
    const std::string_view first =
        pod.spec.containers.empty() ? std::string_view() : pod.spec.containers[0].name.view();
    return detail::summarize(pod.metadata, pod.spec.node_name, first, !pod.spec.scheduling_gates.empty(), pod.status);
}

/// The variable has that value, in place of whatever it had.
KCONTROL_DECL void set_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view value);
/// The same where there is none of that name.
KCONTROL_DECL void set_default_variable(list<api::core::v1::env_var>& in, std::string_view name,
                                        std::string_view value);

/// The variable has what is at that path of its pod, such as "metadata.labels['app']", in place of whatever it had.
KCONTROL_DECL void set_field_variable(list<api::core::v1::env_var>& in, std::string_view name, std::string_view path);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/pods.ipp>
#endif
