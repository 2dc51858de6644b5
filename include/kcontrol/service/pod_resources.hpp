// Which containers of this node have which devices and CPUs: what the kubelet's pod-resources API says.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::service {

/// Devices of one resource that a container has.
class container_devices {
public:
    std::string resource;          ///< "nvidia.com/gpu"
    std::vector<std::string> ids;  ///< as the device plugin names them; a share may have a suffix, as "GPU-…::3"

    friend bool operator==(const container_devices&, const container_devices&) = default;
};

/// What one container has.
class container_resources {
public:
    std::string name;                        ///< of the container
    std::vector<container_devices> devices;  ///< in the kubelet's order
    std::vector<std::int64_t> cpus;          ///< that are its own; empty: none are

    friend bool operator==(const container_resources&, const container_resources&) = default;
};

/// What the containers of one pod have.
class pod_resources {
public:
    std::string namespace_, name;                 ///< of the pod
    std::vector<container_resources> containers;  ///< in the kubelet's order

    friend bool operator==(const pod_resources&, const pod_resources&) = default;
};

/// Reads a `v1.ListPodResourcesResponse`, in the kubelet's order. Fields that are not known are passed over. Errors:
/// decode_failed: the bytes are no such message. Source: k8s.io/kubelet/pkg/apis/podresources/v1.
KCONTROL_DECL result<std::vector<pod_resources>> decode_pod_resources_list(std::string_view message);
/// Reads a `v1.GetPodResourcesResponse`, likewise.
KCONTROL_DECL result<pod_resources> decode_pod_resources(std::string_view message);

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/pod_resources.ipp>
#endif
