// Asks the kubelet of this node which containers have which devices.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "pods/pod_resources.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace gpu_labeler {

/// The kubelet's usual place for it.
inline constexpr const char* pod_resources_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";

/// Calls v1.PodResourcesLister/List on a Unix socket.
///
/// Thread-safety: used on one strand, that of the executor given. Object lifetime: environment and executor outlive it,
/// and it its calls.
class pod_resources_client {
public:
    pod_resources_client(kcontrol::environment& env, kcontrol::executor ex, std::string socket,
                         kcontrol::duration timeout = std::chrono::seconds(5));

    /// Who has devices now. No socket there: nobody, which is no error.
    /// Errors: connection_refused, connection_lost, timeout, stopped; those of grpc_call and decode_pod_resources.
    kcontrol::awaitable<kcontrol::result<std::vector<device_user>>> list(std::stop_token stop);

private:
    kcontrol::environment& env_;
    kcontrol::executor executor_;
    std::string path_;
    kcontrol::duration timeout_;
};

}  // namespace gpu_labeler
