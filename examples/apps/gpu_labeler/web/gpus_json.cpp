#include "web/gpus_json.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/time.hpp>

namespace gpu_labeler {
namespace {

using kcontrol::json::write_or_null;
using kcontrol::json::write_text_or_null;
using kcontrol::json::writer;

std::string version_text(int cuda) { return std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10); }

// What NVML's numbers mean.
std::string_view recovery_name(unsigned action) noexcept {
    switch (action) {
    case 0: return "none";
    case 1: return "gpu-reset";
    case 2: return "node-reboot";
    case 3: return "drain";
    case 4: return "drain-and-reset";
    case 5: return "imex-domain-recovery";
    default: return "unknown";
    }
}

void write_usage(writer& out, const gpu_sample& g) {
    begin_object(out, "utilization");
    write_or_null(out, "gpu", g.gpu_percent);
    write_or_null(out, "memory", g.memory_percent);
    write_or_null(out, "encoder", g.encoder_percent);
    write_or_null(out, "decoder", g.decoder_percent);
    out.end_object();
    begin_object(out, "memory");
    write_or_null(out, "totalBytes", g.memory_total_bytes);
    write_or_null(out, "usedBytes", g.memory_used_bytes);
    write_or_null(out, "freeBytes", g.memory_free_bytes);
    write_or_null(out, "reservedBytes", g.memory_reserved_bytes);
    out.end_object();
    begin_object(out, "clocks");
    write_or_null(out, "smMHz", g.sm_clock_mhz);
    write_or_null(out, "memoryMHz", g.memory_clock_mhz);
    out.end_object();
}

void write_nvlink(writer& out, const std::optional<nvlink_sample>& nvlink) {
    out.key("nvlink");
    if (!nvlink) return out.null();
    out.begin_object();
    out.member("links", nvlink->links);
    out.member("active", nvlink->active);
    write_or_null(out, "transmitBytesPerSecond", nvlink->transmit_rate);
    write_or_null(out, "receiveBytesPerSecond", nvlink->receive_rate);
    out.end_object();
}

void write_xid(writer& out, const std::optional<xid_report>& xid) {
    out.key("xid");
    if (!xid) return out.null();
    out.begin_object();
    out.member("last", xid->last);
    out.member("time", kcontrol::format_time(xid->when));
    begin_object(out, "counts");
    for (const auto& [number, count] : xid->counts) out.member(std::to_string(number), count);
    out.end_object();
    out.end_object();
}

void write_errors(writer& out, const gpu_sample& g) {
    write_or_null(out, "pcieReplays", g.pcie_replays);
    begin_object(out, "ecc");
    write_or_null(out, "correctedVolatile", g.ecc_corrected_volatile);
    write_or_null(out, "correctedAggregate", g.ecc_corrected_aggregate);
    write_or_null(out, "uncorrectedVolatile", g.ecc_uncorrected_volatile);
    write_or_null(out, "uncorrectedAggregate", g.ecc_uncorrected_aggregate);
    out.end_object();
    begin_object(out, "rows");
    write_or_null(out, "remappedCorrected", g.rows_remapped_corrected);
    write_or_null(out, "remappedUncorrected", g.rows_remapped_uncorrected);
    write_or_null(out, "pending", g.row_remap_pending);
    write_or_null(out, "failed", g.row_remap_failed);
    out.end_object();
    write_or_null(out, "pagesPending", g.pages_pending);
    write_text_or_null(out, "recoveryAction", g.recovery_action ? recovery_name(*g.recovery_action) : "");
    write_xid(out, g.xid);
}

void write_slices(writer& out, const std::vector<mig_sample>& slices) {
    begin_array(out, "migs");
    for (const auto& slice : slices) {
        out.begin_object();
        out.member("uuid", slice.uuid);
        out.member("profile", slice.profile);
        begin_object(out, "memory");
        write_or_null(out, "totalBytes", slice.memory_total_bytes);
        write_or_null(out, "usedBytes", slice.memory_used_bytes);
        write_or_null(out, "freeBytes", slice.memory_free_bytes);
        out.end_object();
        out.end_object();
    }
    out.end_array();
}

void write_users(writer& out, const std::vector<gpu_user>& users) {
    begin_array(out, "users");
    for (const auto& u : users) {
        out.begin_object();
        out.member("namespace", u.namespace_);
        out.member("pod", u.pod);
        out.member("container", u.container);
        write_text_or_null(out, "migUuid", u.mig_uuid);
        out.end_object();
    }
    out.end_array();
}

void write_gpu(writer& out, const gpu_sample& g, const mig_modes& modes) {
    out.begin_object();
    out.member("index", g.index);
    write_text_or_null(out, "uuid", g.uuid);
    write_text_or_null(out, "name", g.name);
    write_text_or_null(out, "busId", g.bus_id);
    out.member("health", to_string(g.health));
    out.member("reason", g.reason);
    write_or_null(out, "temperatureC", g.temperature_celsius);
    write_or_null(out, "memoryTemperatureC", g.memory_temperature_celsius);
    write_or_null(out, "powerW", g.power_watts);
    write_or_null(out, "powerLimitW", g.power_limit_watts);
    write_or_null(out, "energyJ", g.energy_joules);
    write_usage(out, g);
    write_nvlink(out, g.nvlink);
    write_errors(out, g);
    const auto mode = modes.find(g.uuid);
    write_or_null(out, "migEnabled", mode == modes.end() ? std::nullopt : std::optional<bool>(mode->second));
    write_slices(out, g.migs);
    write_users(out, g.users);
    out.end_object();
}

}  // namespace

std::string_view to_string(reader_state state) noexcept {
    switch (state) {
    case reader_state::starting: return "starting";
    case reader_state::ok: return "ok";
    case reader_state::no_driver: return "no-driver";
    case reader_state::no_device: return "no-device";
    case reader_state::hanging: return "hanging";
    case reader_state::failing: return "failing";
    }
    return "unknown";
}

std::string_view to_string(gpu_health health) noexcept {
    switch (health) {
    case gpu_health::ok: return "ok";
    case gpu_health::degraded: return "degraded";
    case gpu_health::failed: return "failed";
    }
    return "unknown";
}

std::string gpus_json(std::string_view node, const node_sample& sample, const mig_modes& modes) {
    writer out;
    out.begin_object();
    out.member("node", node);
    out.member("state", to_string(sample.state));
    out.member("message", sample.message);
    const bool asked = sample.time != kcontrol::wall_time{};
    write_text_or_null(out, "time", asked ? kcontrol::format_time(sample.time) : "");
    write_text_or_null(out, "driverVersion", sample.driver_version);
    write_text_or_null(out, "cudaVersion", sample.cuda_version ? version_text(*sample.cuda_version) : std::string());
    begin_array(out, "items");
    for (const auto& g : sample.gpus) write_gpu(out, g, modes);
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

}  // namespace gpu_labeler
