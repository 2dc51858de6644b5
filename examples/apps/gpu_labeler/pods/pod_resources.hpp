// Which containers the kubelet gave which devices to: the answer of its pod-resources API.
#pragma once

#include <kcontrol/base/result.hpp>

#include "health/sample.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// A container that has a device of NVIDIA's.
struct device_user {
    std::string namespace_;
    std::string pod;
    std::string container;
    std::string device;  ///< UUID of a GPU or of a slice of one

    bool operator==(const device_user&) const = default;
};

/// Reads a `v1.ListPodResourcesResponse`: who has devices of resources named `nvidia.com/…`, in the kubelet's order.
/// The number of a share, as in `GPU-…::3`, is cut off. Errors: decode_failed: the bytes are no such message.
kcontrol::result<std::vector<device_user>> decode_pod_resources(std::string_view message);

/// Puts the users of each GPU, and of its slices, into the sample; sorted, each once.
void attribute_users(node_sample& node, const std::vector<device_user>& users);

}  // namespace gpu_labeler
