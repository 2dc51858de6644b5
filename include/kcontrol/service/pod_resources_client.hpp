// Asks the kubelet of this node which containers have which devices and CPUs.
#pragma once

#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/service/pod_resources.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::service {

/// The kubelet's usual place for it. A pod mounts its directory as a hostPath.
inline constexpr const char* pod_resources_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";

/// Calls v1.PodResourcesLister on a Unix socket, by gRPC over HTTP/2. No right of the API server is needed: who may
/// open the socket may ask.
///
/// Thread-safety: used on one strand, that of the executor given. Cancellation: the stop token of a call. Object
/// lifetime: environment and executor outlive it, and it its calls.
class pod_resources_client {
public:
    /// `timeout`: of one call.
    KCONTROL_DECL pod_resources_client(environment& env, executor ex, std::string socket = pod_resources_socket,
                                       duration timeout = std::chrono::seconds(5));

    /// All pods of the node. No socket there: none, which is no error.
    /// Errors: connection_refused, connection_lost, timeout, stopped; protocol_error, truncated, too_large (more than
    /// 16 MiB), unavailable with what the kubelet says; decode_failed.
    KCONTROL_DECL awaitable<result<std::vector<pod_resources>>> list(std::stop_token stop);

    /// One pod. Errors, besides: unavailable where there is no socket, no such pod on this node, or no such call (a
    /// kubelet before 1.27, or without the feature KubeletPodResourcesGet).
    KCONTROL_DECL awaitable<result<pod_resources>> get(namespaced_name pod, std::stop_token stop);

private:
    KCONTROL_DECL awaitable<result<std::optional<std::string>>> call(std::string method, std::string message,
                                                                     std::stop_token stop);

    environment& env_;
    executor executor_;
    std::string path_;
    duration timeout_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/pod_resources_client.ipp>
#endif
