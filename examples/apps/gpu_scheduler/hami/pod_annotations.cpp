#include "hami/pod_annotations.hpp"

#include <kcontrol/values/quantity.hpp>

#include "devices/node_sources.hpp"
#include "hami/node_lock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace gpu_scheduler {
namespace {

std::int64_t gpus_of(const kcontrol::api::core::v1::container& of) {
    const auto* said = of.resources.limits.get(gpu_resource);
    if (said == nullptr) said = of.resources.requests.get(gpu_resource);
    const auto read = said == nullptr ? result<kcontrol::quantity>(kcontrol::quantity())
                                      : kcontrol::quantity::parse(std::string_view(*said));
    return read ? read->as_int64().value_or(0) : 0;
}

}  // namespace

std::string hami_devices(const kcontrol::api::core::v1::pod& pod, const std::vector<device_hold>& devices,
                         const node_devices& on) {
    std::string out;
    const auto append = [&](const device_hold& each) {
        const auto found = std::ranges::find(on.gpus, each.uuid, &gpu::uuid);
        const auto memory = each.is_share() ? each.memory_mib : found == on.gpus.end() ? 0 : found->memory_mib;
        const auto cores = each.is_share() ? each.cores : 100;  // 100: nobody else gets any of it
        out += each.uuid + ",NVIDIA," + std::to_string(memory) + "," + std::to_string(cores) + ":";
    };
    std::size_t next = 0;
    const auto append_next = [&](const kcontrol::api::core::v1::container& of) {
        for (auto left = gpus_of(of); left > 0 && next < devices.size(); --left) append(devices[next++]);
        out += ";";
    };
    for (const auto& each : pod.spec.init_containers) {
        if (each.restart_policy == "Always") {
            append_next(each);
            continue;
        }
        auto left = gpus_of(each);
        for (auto of = devices.begin(); of != devices.end() && left > 0; ++of) {
            if (of->is_whole()) append(*of), --left;
        }
        out += ";";
    }
    for (const auto& each : pod.spec.containers) append_next(each);
    return out;
}

result<std::vector<device_hold>> read_hami_devices(std::string_view text) {
    const auto wrong = [&] {
        return bad_value("annotation " + std::string(allocated_annotation) + ": " +
                         in_quotes(kcontrol::utf8_prefix(text, 200)) + " is not UUID,TYPE,MIB,CORES: for each GPU");
    };
    std::vector<device_hold> out;
    while (!text.empty()) {
        const auto end = text.find_first_of(":;");
        auto one = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (one.empty()) continue;
        std::vector<std::string_view> parts;
        for (auto comma = one.find(','); comma != std::string_view::npos; comma = one.find(',')) {
            parts.push_back(one.substr(0, comma));
            one.remove_prefix(comma + 1);
        }
        parts.push_back(one);
        const auto memory = parts.size() == 4 ? whole_number(parts[2]) : std::nullopt;
        const auto cores = memory ? whole_number(parts[3]) : std::nullopt;
        if (!cores || parts[0].empty() || *memory == 0 || *cores > 100) return wrong();
        device_hold made;
        made.uuid = parts[0];
        made.memory_mib = *memory;
        made.cores = static_cast<int>(*cores);
        out.push_back(std::move(made));
    }
    return out;
}

std::map<std::string, std::string> hami_annotations(const kcontrol::api::core::v1::pod& pod,
                                                    const std::vector<device_hold>& devices, const node_devices& on,
                                                    std::string_view node, kcontrol::wall_time now) {
    const auto all = hami_devices(pod, devices, on);
    const auto at = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
    return {{"hami.io/vgpu-node", std::string(node)},           {"hami.io/vgpu-time", at},
            {"hami.io/vgpu-devices-to-allocate", all},          {std::string(allocated_annotation), all},
            {std::string(bind_phase_annotation), "allocating"}, {"hami.io/bind-time", at}};
}

}  // namespace gpu_scheduler
