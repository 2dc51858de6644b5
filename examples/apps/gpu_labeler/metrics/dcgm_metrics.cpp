#include "metrics/dcgm_metrics.hpp"

#include <kcontrol/metrics/exposition.hpp>

#include <chrono>
#include <cmath>

namespace gpu_labeler {
namespace {

using maybe = std::optional<double>;

template <auto Member>
maybe plain(const gpu_sample& gpu) {
    if (!(gpu.*Member)) return std::nullopt;
    return static_cast<double>(*(gpu.*Member));
}

maybe in_mib(const std::optional<std::uint64_t>& bytes) {
    if (!bytes) return std::nullopt;
    return static_cast<double>(*bytes >> 20);
}

maybe energy_mj(const gpu_sample& gpu) {
    if (!gpu.energy_joules) return std::nullopt;
    return std::round(*gpu.energy_joules * 1000);
}

// As dcgm-exporter: 0 while there was none. A GPU that is only a name now tells nothing.
maybe last_xid(const gpu_sample& gpu) {
    if (gpu.xid) return static_cast<double>(gpu.xid->last);
    if (gpu.health == gpu_health::failed) return std::nullopt;
    return 0.0;
}

// DCGM calls it a total, and its exporter a counter; it is both directions' mean rate since the sample before, in units
// of 1000 KiB a second, without a fraction.
maybe nvlink_bandwidth(const gpu_sample& gpu) {
    if (!gpu.nvlink || !gpu.nvlink->transmit_rate || !gpu.nvlink->receive_rate) return std::nullopt;
    return std::floor((*gpu.nvlink->transmit_rate + *gpu.nvlink->receive_rate) / 1024 / 1000);
}

struct dcgm_metric {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    maybe (*value)(const gpu_sample&);
};

// Name, type and help as in dcgm-exporter's etc/default-counters.csv, or where it has none, as DCGM names the field.
constexpr dcgm_metric of_gpus[] = {
    {"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz).", plain<&gpu_sample::sm_clock_mhz>},
    {"DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock frequency (in MHz).", plain<&gpu_sample::memory_clock_mhz>},
    {"DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (in C).", plain<&gpu_sample::memory_temperature_celsius>},
    {"DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C).", plain<&gpu_sample::temperature_celsius>},
    {"DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).", plain<&gpu_sample::power_watts>},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "gauge", "Effective power limit (in W).",
     plain<&gpu_sample::power_limit_watts>},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption since boot (in mJ).", energy_mj},
    {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "Total number of PCIe retries.", plain<&gpu_sample::pcie_replays>},
    {"DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %).", plain<&gpu_sample::gpu_percent>},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", plain<&gpu_sample::memory_percent>},
    {"DCGM_FI_DEV_ENC_UTIL", "gauge", "Encoder utilization (in %).", plain<&gpu_sample::encoder_percent>},
    {"DCGM_FI_DEV_DEC_UTIL", "gauge", "Decoder utilization (in %).", plain<&gpu_sample::decoder_percent>},
    {"DCGM_FI_DEV_XID_ERRORS", "gauge", "Value of the last XID error encountered.", last_xid},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "Total number of single-bit volatile ECC errors.",
     plain<&gpu_sample::ecc_corrected_volatile>},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Total number of double-bit volatile ECC errors.",
     plain<&gpu_sample::ecc_uncorrected_volatile>},
    {"DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", "counter", "Total number of single-bit persistent ECC errors.",
     plain<&gpu_sample::ecc_corrected_aggregate>},
    {"DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", "counter", "Total number of double-bit persistent ECC errors.",
     plain<&gpu_sample::ecc_uncorrected_aggregate>},
    {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "Total number of NVLink bandwidth counters for all lanes.",
     nvlink_bandwidth},
    {"DCGM_FI_DEV_VGPU_LICENSE_STATUS", "gauge", "vGPU License status", plain<&gpu_sample::vgpu_licensed>},
    {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for uncorrectable errors",
     plain<&gpu_sample::rows_remapped_uncorrected>},
    {"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Number of remapped rows for correctable errors",
     plain<&gpu_sample::rows_remapped_corrected>},
    {"DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed",
     plain<&gpu_sample::row_remap_failed>},
    {"DCGM_FI_DEV_ROW_REMAP_PENDING", "gauge", "Whether remapping of rows is pending",
     plain<&gpu_sample::row_remap_pending>},
};

struct memory_metric {
    std::string_view name;
    std::string_view help;
    std::optional<std::uint64_t> gpu_sample::*whole;
    std::optional<std::uint64_t> mig_sample::*part;  // none: parts have no such number
};

constexpr memory_metric of_memory[] = {
    {"DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).", &gpu_sample::memory_free_bytes,
     &mig_sample::memory_free_bytes},
    {"DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", &gpu_sample::memory_used_bytes,
     &mig_sample::memory_used_bytes},
    {"DCGM_FI_DEV_FB_RESERVED", "Framebuffer memory reserved (in MiB).", &gpu_sample::memory_reserved_bytes, nullptr},
};

constexpr std::pair<reader_state, std::string_view> states[] = {
    {reader_state::starting, "starting"},   {reader_state::ok, "ok"},           {reader_state::no_driver, "no_driver"},
    {reader_state::no_device, "no_device"}, {reader_state::hanging, "hanging"}, {reader_state::failing, "failing"},
};

using owned_labels = std::vector<std::pair<std::string_view, std::string>>;

class exposition {
public:
    exposition(const node_sample& node, std::string_view hostname) : node_(node), hostname_(hostname) {}

    std::string write() {
        for (const auto& m : of_gpus) {
            out_.family(m.name, m.type, m.help);
            for (const auto& gpu : node_.gpus) add(gpu, nullptr, m.value(gpu));
        }
        for (const auto& m : of_memory) {
            out_.family(m.name, "gauge", m.help);
            for (const auto& gpu : node_.gpus) {
                if (gpu.migs.empty() || m.part == nullptr) add(gpu, nullptr, in_mib(gpu.*m.whole));
                if (m.part == nullptr) continue;
                for (const auto& mig : gpu.migs) add(gpu, &mig, in_mib(mig.*m.part));
            }
        }
        write_own();
        return out_.take();
    }

private:
    void write_own() {
        out_.family("kcontrol_gpu_health", "gauge", "How well the GPU is: 0 ok, 1 degraded, 2 failed.");
        for (const auto& gpu : node_.gpus) sample(labels_of(gpu, nullptr), static_cast<double>(gpu.health));
        out_.family("kcontrol_gpu_recovery_action", "gauge",
                    "What the driver asks for: 0 nothing, 1 GPU reset, 2 node reboot, 3 drain of peer-to-peer traffic, "
                    "4 drain and reset, 5 recovery of the IMEX domain.");
        for (const auto& gpu : node_.gpus) {
            if (gpu.recovery_action) sample(labels_of(gpu, nullptr), *gpu.recovery_action);
        }
        out_.family("kcontrol_gpu_xids_total", "counter", "XIDs that the driver reported of the GPU, by number.");
        for (const auto& gpu : node_.gpus) {
            if (!gpu.xid) continue;
            for (const auto& [number, count] : gpu.xid->counts) {
                auto labels = labels_of(gpu, nullptr);
                labels.emplace_back("xid", std::to_string(number));
                sample(labels, static_cast<double>(count));
            }
        }
        write_nvlink();
        out_.family("kcontrol_gpu_nvml_state", "gauge", "How NVML is: 1 for the state that it is in.");
        for (const auto& [state, name] : states) {
            sample({{"state", std::string(name)}, {"hostname", hostname_}}, node_.state == state ? 1 : 0);
        }
        if (node_.state == reader_state::starting) return;
        out_.family("kcontrol_gpu_sample_timestamp_seconds", "gauge", "When the GPUs were asked.");
        const auto since_1970 = std::chrono::floor<std::chrono::milliseconds>(node_.time.time_since_epoch());
        sample({{"hostname", hostname_}}, static_cast<double>(since_1970.count()) / 1000);
    }

    // DCGM's own number of it is a rate, and of both directions together.
    void write_nvlink() {
        using count = std::optional<std::uint64_t>;
        const auto counter = [this](std::string_view name, std::string_view help, count nvlink_sample::*value) {
            out_.family(name, "counter", help);
            for (const auto& gpu : node_.gpus) {
                if (!gpu.nvlink || !((*gpu.nvlink).*value)) continue;
                sample(labels_of(gpu, nullptr), static_cast<double>(*((*gpu.nvlink).*value)));
            }
        };
        counter("kcontrol_gpu_nvlink_transmit_bytes_total", "Data that the GPU sent over all its NVLinks.",
                &nvlink_sample::transmitted_bytes);
        counter("kcontrol_gpu_nvlink_receive_bytes_total", "Data that the GPU received over all its NVLinks.",
                &nvlink_sample::received_bytes);
        out_.family("kcontrol_gpu_nvlinks", "gauge", "NVLinks of the GPU, by state.");
        for (const auto& gpu : node_.gpus) {
            if (!gpu.nvlink) continue;
            auto labels = labels_of(gpu, nullptr);
            labels.emplace_back("state", "active");
            sample(labels, gpu.nvlink->active);
            labels.back().second = "inactive";
            sample(labels, gpu.nvlink->links - gpu.nvlink->active);
        }
    }

    owned_labels labels_of(const gpu_sample& gpu, const mig_sample* mig) const {
        owned_labels labels{{"gpu", std::to_string(gpu.index)},
                            {"UUID", gpu.uuid},
                            {"pci_bus_id", gpu.bus_id},
                            {"device", "nvidia" + std::to_string(gpu.minor.value_or(gpu.index))},
                            {"modelName", gpu.name}};
        if (mig != nullptr) {
            labels.emplace_back("GPU_I_PROFILE", mig->profile);
            labels.emplace_back("GPU_I_ID", mig->gpu_instance ? std::to_string(*mig->gpu_instance) : "");
        }
        labels.emplace_back("hostname", hostname_);
        labels.emplace_back("DCGM_FI_DRIVER_VERSION", node_.driver_version);
        return labels;
    }

    void sample(const owned_labels& labels, double value) {
        out_.sample(std::vector<kcontrol::exposition::label>(labels.begin(), labels.end()), value);
    }

    void add(const gpu_sample& gpu, const mig_sample* mig, maybe value) {
        if (!value) return;
        const auto labels = labels_of(gpu, mig);
        const std::string_view whose = mig == nullptr ? std::string_view() : mig->uuid;
        bool used = false;
        for (const auto& user : gpu.users) {
            if (user.mig_uuid != whose) continue;
            used = true;
            auto with_user = labels;
            with_user.emplace_back("container", user.container);
            with_user.emplace_back("namespace", user.namespace_);
            with_user.emplace_back("pod", user.pod);
            sample(with_user, *value);
        }
        if (!used) sample(labels, *value);
    }

    const node_sample& node_;
    std::string hostname_;
    kcontrol::exposition out_;
};

}  // namespace

std::string dcgm_metrics(const node_sample& node, std::string_view hostname) {
    return exposition(node, hostname).write();
}

}  // namespace gpu_labeler
