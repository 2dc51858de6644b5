#include "pods/pod_resources.hpp"

#include <algorithm>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <tuple>

namespace gpu_labeler {
namespace {

using kcontrol::errc;
using kcontrol::error;
using protozero::pbf_reader;

// Numbers of fields in k8s.io/kubelet/pkg/apis/podresources/v1.
constexpr protozero::pbf_tag_type response_pods = 1;
constexpr protozero::pbf_tag_type pod_name = 1;
constexpr protozero::pbf_tag_type pod_namespace = 2;
constexpr protozero::pbf_tag_type pod_containers = 3;
constexpr protozero::pbf_tag_type container_name = 1;
constexpr protozero::pbf_tag_type container_devices = 2;
constexpr protozero::pbf_tag_type devices_resource = 1;
constexpr protozero::pbf_tag_type devices_ids = 2;

bool is_length_delimited(const pbf_reader& message) {
    return message.wire_type() == protozero::pbf_wire_type::length_delimited;
}

// Calls `take` for each field that holds bytes; others are skipped, as a newer kubelet may have more.
template <class Take>
void for_each_field(pbf_reader message, Take take) {
    while (message.next()) {
        if (!is_length_delimited(message) || !take(message)) message.skip();
    }
}

void read_devices(pbf_reader message, const device_user& whose, std::vector<device_user>& into) {
    std::string resource;
    std::vector<std::string> ids;
    for_each_field(message, [&](pbf_reader& field) {
        if (field.tag() == devices_resource) return resource = field.get_string(), true;
        if (field.tag() == devices_ids) return ids.push_back(field.get_string()), true;
        return false;
    });
    if (!resource.starts_with("nvidia.com/")) return;
    for (auto& id : ids) {
        into.push_back(whose);
        into.back().device = id.substr(0, id.find("::"));
    }
}

void read_container(pbf_reader message, device_user whose, std::vector<device_user>& into) {
    std::vector<pbf_reader> devices;
    for_each_field(message, [&](pbf_reader& field) {
        if (field.tag() == container_name) return whose.container = field.get_string(), true;
        if (field.tag() == container_devices) return devices.push_back(field.get_message()), true;
        return false;
    });
    for (const auto& d : devices) read_devices(d, whose, into);
}

void read_pod(pbf_reader message, std::vector<device_user>& into) {
    device_user whose;
    std::vector<pbf_reader> containers;
    for_each_field(message, [&](pbf_reader& field) {
        if (field.tag() == pod_name) return whose.pod = field.get_string(), true;
        if (field.tag() == pod_namespace) return whose.namespace_ = field.get_string(), true;
        if (field.tag() == pod_containers) return containers.push_back(field.get_message()), true;
        return false;
    });
    for (const auto& c : containers) read_container(c, whose, into);
}

}  // namespace

kcontrol::result<std::vector<device_user>> decode_pod_resources(std::string_view message) {
    std::vector<device_user> users;
    try {
        for_each_field(pbf_reader(message.data(), message.size()), [&](pbf_reader& field) {
            if (field.tag() == response_pods) return read_pod(field.get_message(), users), true;
            return false;
        });
    } catch (const protozero::exception& e) {
        return error(errc::decode_failed,
                     std::string("the kubelet's list of pods and devices can't be read: ") + e.what());
    }
    return users;
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
