#include "pods/pod_resources.hpp"

#include <algorithm>
#include <tuple>

namespace gpu_labeler {

std::vector<device_user> users_of(const std::vector<kcontrol::service::pod_resources>& pods) {
    std::vector<device_user> out;
    for (const auto& pod : pods) {
        for (const auto& container : pod.containers) {
            for (const auto& devices : container.devices) {
                if (!devices.resource.starts_with("nvidia.com/")) continue;
                for (const auto& id : devices.ids) {
                    out.push_back({pod.namespace_, pod.name, container.name, id.substr(0, id.find("::"))});
                }
            }
        }
    }
    return out;
}

void attribute_users(node_sample& node, const std::vector<device_user>& users) {
    const auto order = [](const gpu_user& a, const gpu_user& b) {
        return std::tie(a.mig_uuid, a.namespace_, a.pod, a.container) <
               std::tie(b.mig_uuid, b.namespace_, b.pod, b.container);
    };
    for (auto& gpu : node.gpus) {
        gpu.users.clear();
        for (const auto& user : users) {
            const bool slice = std::any_of(gpu.migs.begin(), gpu.migs.end(),
                                           [&](const mig_sample& mig) { return mig.uuid == user.device; });
            if (!slice && (user.device.empty() || user.device != gpu.uuid)) continue;
            gpu.users.push_back({user.namespace_, user.pod, user.container, slice ? user.device : ""});
        }
        std::sort(gpu.users.begin(), gpu.users.end(), order);
        gpu.users.erase(std::unique(gpu.users.begin(), gpu.users.end()), gpu.users.end());
    }
}

}  // namespace gpu_labeler
