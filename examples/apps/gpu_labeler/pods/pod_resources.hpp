// Which containers the kubelet gave which devices of NVIDIA's to.
#pragma once

#include <kcontrol/service/pod_resources.hpp>

#include "health/sample.hpp"

#include <string>
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

/// Who has devices of resources named `nvidia.com/…`, in the kubelet's order. The number of a share, as in `GPU-…::3`,
/// is cut off.
std::vector<device_user> users_of(const std::vector<kcontrol::service::pod_resources>& pods);

/// Puts the users of each GPU, and of its slices, into the sample; sorted, each once.
void attribute_users(node_sample& node, const std::vector<device_user>& users);

}  // namespace gpu_labeler
