#include "devices/record.hpp"

#include <kcontrol/documents/strict.hpp>
#include <kcontrol/json/writer.hpp>

#include "devices/json_fields.hpp"

namespace gpu_scheduler {
namespace {

constexpr std::int64_t most_mib = std::int64_t{1} << 40U;
constexpr std::size_t most_devices = 1024;

result<device_hold> read_device(const json_place& from) {
    if (auto known = from.only({"uuid", "memoryMiB", "cores", "mig", "start"}); !known) return known.error();
    device_hold out;
    auto uuid = from.text("uuid");
    if (!uuid) return uuid.error();
    out.uuid = std::move(*uuid);
    if (from.has("mig")) {
        if (from.has("memoryMiB") || from.has("cores")) return from.wrong("mig", "excludes memoryMiB and cores");
        auto profile = from.text("mig");
        if (!profile) return profile.error();
        const auto start = from.number("start", 0, 31);
        if (!start) return start.error();
        out.profile = std::move(*profile);
        out.start = static_cast<unsigned>(*start);
        return out;
    }
    if (from.has("start")) return from.wrong("start", "is there without mig");
    if (from.has("memoryMiB")) {
        const auto memory = from.number("memoryMiB", 1, most_mib);
        if (!memory) return memory.error();
        out.memory_mib = *memory;
        if (from.has("cores")) {
            const auto cores = from.number("cores", 0, 100);
            if (!cores) return cores.error();
            out.cores = static_cast<int>(*cores);
        }
    } else if (from.has("cores")) {
        return from.wrong("cores", "is there without memoryMiB");
    }
    return out;
}

result<std::vector<device_hold>> read_devices(std::string_view text) {
    kcontrol::json::document document;
    const auto root = kcontrol::json::parse_strict(document, text);
    if (!root) return root.error();
    const json_place top{*root, ""};
    if (auto known = top.only({"v", "devices"}); !known) return known.error();
    if (const auto version = top.number("v", 1, 1); !version) return version.error();
    const auto devices = (*root)["devices"];
    if (!devices.is_array() || devices.size() > most_devices) {
        return top.wrong("devices", "is no list of at most " + std::to_string(most_devices));
    }
    std::vector<device_hold> out;
    for (const auto each : devices.elements()) {
        auto device = read_device({each, "devices[" + std::to_string(out.size()) + "]"});
        if (!device) return device.error();
        out.push_back(std::move(*device));
    }
    return out;
}

}  // namespace

std::string write_record(const std::vector<device_hold>& devices) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("v", 1);
    out.key("devices");
    out.begin_array();
    for (const auto& each : devices) {
        out.begin_object();
        out.member("uuid", each.uuid);
        if (each.is_share()) {
            out.member("memoryMiB", each.memory_mib);
            out.member("cores", each.cores);
        } else if (each.is_slice()) {
            out.member("mig", each.profile);
            out.member("start", each.start);
        }
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

result<std::vector<device_hold>> read_record(std::string_view text) {
    auto out = read_devices(text);
    if (!out) return out.error().with_context("annotation " + std::string(record_annotation));
    return out;
}

}  // namespace gpu_scheduler
