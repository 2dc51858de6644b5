// NVML, found at run time: a machine without the driver must be able to run this program, and say so.
#pragma once

#include <kcontrol/base/result.hpp>

#include "nvml/abi.hpp"
#include "nvml/call_watch.hpp"

#include <memory>
#include <string>
#include <utility>

namespace gpu_labeler::nvml {

/// One function of the library under the versioned name that the library exports. Without it in the library (an old
/// driver) a call answers function_not_found, as NVML itself does for a part that a GPU has not.
template <class... Parameters>
class function {
public:
    explicit function(const char* name) : name_(name) {}

    int operator()(call_watch& watch, std::type_identity_t<Parameters>... arguments) const {
        if (pointer_ == nullptr) return function_not_found;
        const call_watch::mark mark(watch, name_);
        return pointer_(arguments...);
    }

    const char* name() const noexcept { return name_; }
    void bind(void* symbol) noexcept { pointer_ = reinterpret_cast<int (*)(Parameters...)>(symbol); }

private:
    const char* name_;
    int (*pointer_)(Parameters...) = nullptr;
};

/// The functions that we use. Those of the first group are in every NVML of the last ten years, and must be there.
///
/// Thread-safety: as NVML, shared objects safe. Object lifetime: the library stays loaded until the process ends, as a
/// thread may be stuck in it.
class library {
public:
    /// Opens `path`, or where that is empty the driver's library by its usual names.
    /// Errors: unavailable, with what the loader says: not there, no library, or no NVML.
    static kcontrol::result<std::shared_ptr<const library>> open(const std::string& path);

    function<> init{"nvmlInit_v2"};
    function<> shutdown{"nvmlShutdown"};
    function<unsigned*> device_count{"nvmlDeviceGetCount_v2"};
    function<unsigned, device*> device_by_index{"nvmlDeviceGetHandleByIndex_v2"};
    function<device, char*, unsigned> device_uuid{"nvmlDeviceGetUUID"};
    function<device, char*, unsigned> device_name{"nvmlDeviceGetName"};
    function<device, memory*> device_memory{"nvmlDeviceGetMemoryInfo"};

    function<char*, unsigned> driver_version{"nvmlSystemGetDriverVersion"};
    function<int*> cuda_version{"nvmlSystemGetCudaDriverVersion_v2"};
    function<device, int*, int*> compute_capability{"nvmlDeviceGetCudaComputeCapability"};
    function<device, pci_info*> device_pci{"nvmlDeviceGetPciInfo_v3"};
    function<device, fabric_info*> device_fabric{"nvmlDeviceGetGpuFabricInfoV"};
    function<device, unsigned*, unsigned*> mig_mode{"nvmlDeviceGetMigMode"};
    function<device, unsigned*> mig_count{"nvmlDeviceGetMaxMigDeviceCount"};
    function<device, unsigned, device*> mig_by_index{"nvmlDeviceGetMigDeviceHandleByIndex"};
    function<device, attributes*> mig_attributes{"nvmlDeviceGetAttributes_v2"};
    function<device, unsigned*> mig_gpu_instance{"nvmlDeviceGetGpuInstanceId"};

    function<device, unsigned*> device_minor{"nvmlDeviceGetMinorNumber"};
    function<device, memory_v2*> device_memory_v2{"nvmlDeviceGetMemoryInfo_v2"};
    function<device, utilization*> device_utilization{"nvmlDeviceGetUtilizationRates"};
    function<device, unsigned*, unsigned*> encoder_utilization{"nvmlDeviceGetEncoderUtilization"};
    function<device, unsigned*, unsigned*> decoder_utilization{"nvmlDeviceGetDecoderUtilization"};
    function<device, unsigned, unsigned*> device_temperature{"nvmlDeviceGetTemperature"};
    function<device, unsigned*> device_power{"nvmlDeviceGetPowerUsage"};
    function<device, unsigned*> device_power_limit{"nvmlDeviceGetEnforcedPowerLimit"};
    function<device, unsigned long long*> device_energy{"nvmlDeviceGetTotalEnergyConsumption"};
    function<device, unsigned, unsigned*> device_clock{"nvmlDeviceGetClockInfo"};
    function<device, unsigned*> device_pcie_replays{"nvmlDeviceGetPcieReplayCounter"};
    function<device, unsigned, unsigned, unsigned long long*> device_ecc_errors{"nvmlDeviceGetTotalEccErrors"};
    function<device, unsigned*, unsigned*, unsigned*, unsigned*> device_rows{"nvmlDeviceGetRemappedRows"};
    function<device, unsigned*> device_pages_pending{"nvmlDeviceGetRetiredPagesPendingStatus"};
    function<device, int, field_value*> device_fields{"nvmlDeviceGetFieldValues"};

    function<device, licensable_features*> device_licences{"nvmlDeviceGetGridLicensableFeatures_v4"};

    function<device, unsigned, unsigned*> link_state{"nvmlDeviceGetNvLinkState"};
    function<device, unsigned, unsigned*> link_remote_type{"nvmlDeviceGetNvLinkRemoteDeviceType"};
    function<device, unsigned, pci_info*> link_remote_pci{"nvmlDeviceGetNvLinkRemotePciInfo_v2"};
    function<device, device, unsigned*> common_ancestor{"nvmlDeviceGetTopologyCommonAncestor"};
    function<device, unsigned, unsigned long*, unsigned> memory_affinity{"nvmlDeviceGetMemoryAffinity"};

    function<event_set*> event_set_create{"nvmlEventSetCreate"};
    function<event_set> event_set_free{"nvmlEventSetFree"};
    function<event_set, event_data*, unsigned> event_wait{"nvmlEventSetWait_v2"};
    function<device, unsigned long long*> device_event_types{"nvmlDeviceGetSupportedEventTypes"};
    function<device, unsigned long long, event_set> register_events{"nvmlDeviceRegisterEvents"};

private:
    library() = default;
    /// Calls `bind` with each function, and whether it must be there.
    template <class Bind>
    void bind_all(Bind bind);
};

/// What a status means, and what to do about it.
std::string describe(int status);

}  // namespace gpu_labeler::nvml
