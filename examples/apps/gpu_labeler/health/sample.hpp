// What the GPUs of a node measure at one moment, as plain values.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpu_labeler {

/// A container that a GPU, or a slice of it, is given to.
struct gpu_user {
    std::string namespace_;
    std::string pod;
    std::string container;
    std::string mig_uuid;  ///< empty: the whole GPU

    bool operator==(const gpu_user&) const = default;
};

/// The driver's own numbers of what went wrong on a GPU since this program watches it.
struct xid_report {
    std::uint64_t last = 0;
    kcontrol::wall_time when{};
    std::map<std::uint64_t, std::uint64_t> counts;  ///< by number

    bool operator==(const xid_report&) const = default;
};

enum class gpu_health {
    ok,
    degraded,  ///< works, and wants attention: rows to be remapped, a recovery that the driver asks for
    failed     ///< lost, or out of order until something is done
};

/// A slice of a GPU.
struct mig_sample {
    std::string uuid;
    std::string profile;  ///< 1g.5gb
    std::optional<unsigned> gpu_instance;
    std::optional<std::uint64_t> memory_total_bytes;
    std::optional<std::uint64_t> memory_used_bytes;
    std::optional<std::uint64_t> memory_free_bytes;

    bool operator==(const mig_sample&) const = default;
};

/// The NVLinks of a GPU, all of them together.
struct nvlink_sample {
    unsigned links = 0;                              ///< that the GPU has
    unsigned active = 0;                             ///< of these
    std::optional<std::uint64_t> transmitted_bytes;  ///< data, since the driver was loaded
    std::optional<std::uint64_t> received_bytes;
    std::optional<double> transmit_rate;  ///< in bytes per second, since the sample before
    std::optional<double> receive_rate;

    bool operator==(const nvlink_sample&) const = default;
};

/// What a GPU measures. Nothing in a field: this GPU, or its driver, does not say.
struct gpu_sample {
    unsigned index = 0;
    std::string uuid;
    std::string name;
    std::string bus_id;             ///< domain:bus:device.function
    std::optional<unsigned> minor;  ///< of /dev/nvidiaN
    gpu_health health = gpu_health::ok;
    std::string reason;  ///< why it is not ok

    std::optional<double> temperature_celsius;
    std::optional<double> memory_temperature_celsius;
    std::optional<double> power_watts;
    std::optional<double> power_limit_watts;
    std::optional<double> energy_joules;  ///< since the driver was loaded
    std::optional<unsigned> gpu_percent;
    std::optional<unsigned> memory_percent;  ///< of the time, not of the bytes
    std::optional<unsigned> encoder_percent;
    std::optional<unsigned> decoder_percent;
    std::optional<std::uint64_t> memory_total_bytes;
    std::optional<std::uint64_t> memory_used_bytes;  ///< without what is reserved
    std::optional<std::uint64_t> memory_free_bytes;
    std::optional<std::uint64_t> memory_reserved_bytes;
    std::optional<unsigned> sm_clock_mhz;
    std::optional<unsigned> memory_clock_mhz;
    std::optional<std::uint64_t> pcie_replays;
    std::optional<std::uint64_t> ecc_corrected_volatile;
    std::optional<std::uint64_t> ecc_corrected_aggregate;
    std::optional<std::uint64_t> ecc_uncorrected_volatile;
    std::optional<std::uint64_t> ecc_uncorrected_aggregate;
    std::optional<unsigned> rows_remapped_corrected;
    std::optional<unsigned> rows_remapped_uncorrected;
    std::optional<bool> row_remap_pending;
    std::optional<bool> row_remap_failed;
    std::optional<bool> pages_pending;  ///< pages of memory wait to be retired (before Ampere, instead of rows)
    std::optional<unsigned>
        recovery_action;  ///< NVML's: 0 none, 1 GPU reset, 2 node reboot, 3 drain, 4 drain and reset
    std::optional<bool> vgpu_licensed;
    std::optional<nvlink_sample> nvlink;  ///< nothing: it has no NVLink
    std::optional<xid_report> xid;
    std::vector<mig_sample> migs;
    std::vector<gpu_user> users;

    bool operator==(const gpu_sample&) const = default;
};

/// How NVML itself is.
enum class reader_state {
    starting,  ///< not asked yet
    ok,
    no_driver,  ///< no library, or no driver loaded; asked again
    no_device,
    hanging,  ///< a call does not come back
    failing   ///< answers with errors: a reload of the driver, or a broken one; asked again
};

/// All GPUs of the node at one moment.
struct node_sample {
    kcontrol::wall_time time{};
    reader_state state = reader_state::starting;
    std::string message;  ///< why the state is not ok, and what to do
    std::string driver_version;
    std::optional<int> cuda_version;  ///< 1000 times major plus 10 times minor
    std::vector<gpu_sample>
        gpus;  ///< by index; those that are lost have index, health and reason, and their last names

    bool operator==(const node_sample&) const = default;
};

}  // namespace gpu_labeler
