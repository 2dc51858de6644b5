// What HAMi's device plugin reads of a pod: which GPUs each of its containers gets.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/time.hpp>

#include "devices/gpu.hpp"
#include "devices/record.hpp"
#include "messages.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

inline constexpr std::string_view allocated_annotation = "hami.io/vgpu-devices-allocated";

/// The annotations of a pod that gets `devices` (whole GPUs and shares, in the order of its containers) on a node with
/// these GPUs. HAMi's scheduler writes the same ones. They belong into the Binding: the plugin looks only at pods that
/// are on its node, or that hold its lock.
std::map<std::string, std::string> hami_annotations(const kcontrol::api::core::v1::pod& pod,
                                                    const std::vector<device_hold>& devices, const node_devices& on,
                                                    std::string_view node, kcontrol::wall_time now);

/// `UUID,NVIDIA,MIB,CORES:` for each GPU, and `;` after each container: init containers first, also those without
/// GPUs. An init container that ends gets the first whole GPUs of the others.
std::string hami_devices(const kcontrol::api::core::v1::pod& pod, const std::vector<device_hold>& devices,
                         const node_devices& on);

/// Reads that form, as HAMi's scheduler writes it. A GPU with all of its time and memory counts as a share. Errors: the
/// annotation and what is expected.
result<std::vector<device_hold>> read_hami_devices(std::string_view text);

}  // namespace gpu_scheduler
