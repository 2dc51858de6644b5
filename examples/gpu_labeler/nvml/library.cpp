#include "nvml/library.hpp"

#include <kcontrol/base/log.hpp>

#include <dlfcn.h>
#include <vector>

namespace gpu_labeler::nvml {
namespace {

using kcontrol::errc;
using kcontrol::error;

std::string loader_says() {
    const char* text = ::dlerror();
    return text == nullptr ? "no reason given" : kcontrol::escape_control(text);
}

}  // namespace

kcontrol::result<std::shared_ptr<const library>> library::open(const std::string& path) {
    const auto names = path.empty() ? std::vector<std::string>{"libnvidia-ml.so.1", "libnvidia-ml.so"}
                                    : std::vector<std::string>{path};
    void* handle = nullptr;
    std::string why;
    for (const auto& name : names) {
        handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle != nullptr) break;
        why += (why.empty() ? "" : "; ") + loader_says();
    }
    if (handle == nullptr) {
        return error(errc::unavailable, "NVML can't be loaded (" + why + "); is the NVIDIA driver installed, and its " +
                                            "library in this container? --nvml names another file");
    }
    std::shared_ptr<library> loaded(new library);
    const char* missing = nullptr;
    const auto bind = [&](auto& function, bool required) {
        void* symbol = ::dlsym(handle, function.name());
        if (symbol == nullptr && required && missing == nullptr) missing = function.name();
        function.bind(symbol);
    };
    bind(loaded->init, true);
    bind(loaded->shutdown, true);
    bind(loaded->device_count, true);
    bind(loaded->device_by_index, true);
    bind(loaded->device_uuid, true);
    bind(loaded->device_name, true);
    bind(loaded->device_memory, true);
    bind(loaded->driver_version, false);
    bind(loaded->cuda_version, false);
    bind(loaded->compute_capability, false);
    bind(loaded->device_pci, false);
    bind(loaded->device_fabric, false);
    bind(loaded->mig_mode, false);
    bind(loaded->mig_count, false);
    bind(loaded->mig_by_index, false);
    bind(loaded->mig_attributes, false);
    bind(loaded->mig_gpu_instance, false);
    bind(loaded->device_minor, false);
    bind(loaded->device_memory_v2, false);
    bind(loaded->device_utilization, false);
    bind(loaded->encoder_utilization, false);
    bind(loaded->decoder_utilization, false);
    bind(loaded->device_temperature, false);
    bind(loaded->device_power, false);
    bind(loaded->device_power_limit, false);
    bind(loaded->device_energy, false);
    bind(loaded->device_clock, false);
    bind(loaded->device_pcie_replays, false);
    bind(loaded->device_ecc_errors, false);
    bind(loaded->device_rows, false);
    bind(loaded->device_pages_pending, false);
    bind(loaded->device_fields, false);
    bind(loaded->link_state, false);
    bind(loaded->link_remote_type, false);
    bind(loaded->link_remote_pci, false);
    bind(loaded->common_ancestor, false);
    bind(loaded->memory_affinity, false);
    bind(loaded->event_set_create, false);
    bind(loaded->event_set_free, false);
    bind(loaded->event_wait, false);
    bind(loaded->device_event_types, false);
    bind(loaded->register_events, false);
    if (missing != nullptr) {
        return error(errc::unavailable, (path.empty() ? names.front() : path) + " is no NVML: it has no " + missing);
    }
    return std::shared_ptr<const library>(std::move(loaded));
}

std::string describe(int status) {
    switch (status) {
    case uninitialized: return "NVML was shut down underneath";
    case not_supported: return "the GPU has no such thing";
    case no_permission: return "no permission; the container needs the GPU's device files";
    case not_found: return "not found";
    case driver_not_loaded: return "the NVIDIA driver is not loaded";
    case library_not_found: return "a part of the NVIDIA driver's libraries is missing";
    case function_not_found: return "the driver is too old for this question";
    case gpu_is_lost: return "the GPU is lost: it fell off the bus, and needs a reset or a reboot of the node";
    case reset_required: return "the GPU needs a reset";
    case version_mismatch: return "driver and library are of different versions; reload the driver or reboot the node";
    case no_gpu: return "NVML finds no GPU; are its device files in this container (NVIDIA_VISIBLE_DEVICES=all)?";
    case not_ready: return "the GPU is not ready yet";
    default: return "NVML answers with status " + std::to_string(status);
    }
}

}  // namespace gpu_labeler::nvml
