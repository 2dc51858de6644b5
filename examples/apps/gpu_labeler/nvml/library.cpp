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

template <class Bind>
void library::bind_all(Bind bind) {
    bind(init, true);
    bind(shutdown, true);
    bind(device_count, true);
    bind(device_by_index, true);
    bind(device_uuid, true);
    bind(device_name, true);
    bind(device_memory, true);
    bind(driver_version, false);
    bind(cuda_version, false);
    bind(compute_capability, false);
    bind(device_pci, false);
    bind(device_fabric, false);
    bind(mig_mode, false);
    bind(mig_count, false);
    bind(mig_by_index, false);
    bind(mig_attributes, false);
    bind(mig_gpu_instance, false);
    bind(device_minor, false);
    bind(device_memory_v2, false);
    bind(device_utilization, false);
    bind(encoder_utilization, false);
    bind(decoder_utilization, false);
    bind(device_temperature, false);
    bind(device_power, false);
    bind(device_power_limit, false);
    bind(device_energy, false);
    bind(device_clock, false);
    bind(device_pcie_replays, false);
    bind(device_ecc_errors, false);
    bind(device_rows, false);
    bind(device_pages_pending, false);
    bind(device_fields, false);
    bind(device_licences, false);
    bind(link_state, false);
    bind(link_remote_type, false);
    bind(link_remote_pci, false);
    bind(common_ancestor, false);
    bind(memory_affinity, false);
    bind(event_set_create, false);
    bind(event_set_free, false);
    bind(event_wait, false);
    bind(device_event_types, false);
    bind(register_events, false);
}

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
    loaded->bind_all([&](auto& function, bool required) {
        void* symbol = ::dlsym(handle, function.name());
        if (symbol == nullptr && required && missing == nullptr) missing = function.name();
        function.bind(symbol);
    });
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
