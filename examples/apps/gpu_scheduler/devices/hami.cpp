// hami.io/node-nvidia-register. Source: HAMi, pkg/util and docs/develop/protocol.md.
#include <kcontrol/documents/strict.hpp>

#include "devices/json_fields.hpp"
#include "devices/node_sources.hpp"

#include <algorithm>
#include <set>

namespace gpu_scheduler {
namespace {

constexpr std::int64_t most_mib = std::int64_t{1} << 40U;
constexpr std::int64_t most_count = 1000;  // shares of a GPU
constexpr std::size_t most_gpus = 64;

// What both forms say of a GPU.
struct entry {
    gpu device;
    std::string type;
};

result<entry> read_object(const json_place& from) {
    if (!from.object.is_object()) return bad_value(from.path + " is no object");
    entry out;
    auto uuid = from.text("id");
    if (!uuid) return uuid.error();
    out.device.uuid = std::move(*uuid);
    struct {
        const char* name;
        std::int64_t least, most, value;
    } numbers[] = {{"count", 0, most_count, 0}, {"devmem", 1, most_mib, 0}, {"devcore", 0, 1000, 0}};
    for (auto& each : numbers) {
        const auto value = from.number(each.name, each.least, each.most);
        if (!value) return value.error();
        each.value = *value;
    }
    out.device.most_shares = static_cast<int>(numbers[0].value);
    out.device.memory_mib = numbers[1].value;
    out.device.cores = static_cast<int>(numbers[2].value);
    if (from.has("index")) {
        const auto index = from.number("index", 0, 1000);
        if (!index) return index.error();
        out.device.index = static_cast<unsigned>(*index);
    }
    if (from.has("numa")) {
        const auto numa = from.number("numa", -1, 1000);
        if (!numa) return numa.error();
        if (*numa >= 0) out.device.numa = static_cast<unsigned>(*numa);
    }
    auto type = from.text("type");
    if (!type) return type.error();
    out.type = std::move(*type);
    out.device.is_divided = from.object["mode"].is_string() && from.object["mode"].as_string() == "mig";
    if (from.object["health"].kind() != kcontrol::json::kind::boolean) {
        return from.wrong("health", "is neither true nor false");
    }
    out.device.is_healthy = from.object["health"].as_bool();
    return out;
}

result<std::vector<entry>> read_array(std::string_view text) {
    kcontrol::json::document document;
    const auto root = kcontrol::json::parse_strict(document, text);
    if (!root) return root.error();
    if (!root->is_array()) return bad_value("the value is no array");
    std::vector<entry> out;
    for (const auto each : root->elements()) {
        auto one = read_object({each, "[" + std::to_string(out.size()) + "]"});
        if (!one) return one.error();
        out.push_back(std::move(*one));
    }
    return out;
}

result<std::vector<entry>> read_commas(std::string_view text) {
    std::vector<entry> out;
    while (!text.empty()) {
        const auto end = text.find(':');
        auto one = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::string path = "[" + std::to_string(out.size()) + "]";
        std::vector<std::string_view> parts;
        for (std::size_t at = 0; at != std::string_view::npos;) {
            const auto comma = one.find(',', at);
            parts.push_back(one.substr(at, comma == std::string_view::npos ? comma : comma - at));
            at = comma == std::string_view::npos ? comma : comma + 1;
        }
        if (parts.size() != 7) {
            return bad_value(path + ": " + in_quotes(one) + " has " + std::to_string(parts.size()) +
                             " parts, not 7: uuid,count,mem,core,type,numa,health");
        }
        const auto number = [&](std::size_t part, const char* name, std::int64_t least,
                                std::int64_t most) -> result<std::int64_t> {
            const auto value = whole_number(parts[part]);
            if (value && *value >= least && *value <= most) return *value;
            return bad_value(path + "." + name + ": " + in_quotes(parts[part]) + " is no integer from " +
                             std::to_string(least) + " to " + std::to_string(most));
        };
        const auto count = number(1, "count", 0, most_count);
        if (!count) return count.error();
        const auto memory = number(2, "mem", 1, most_mib);
        if (!memory) return memory.error();
        const auto cores = number(3, "core", 0, 1000);
        if (!cores) return cores.error();
        if (parts[0].empty()) return bad_value(path + ".uuid: it is empty");
        if (parts[6] != "true" && parts[6] != "false") {
            return bad_value(path + ".health: " + in_quotes(parts[6]) + " is neither true nor false");
        }
        entry made;
        made.device.uuid = parts[0];
        made.device.index = static_cast<unsigned>(out.size());
        made.device.most_shares = static_cast<int>(*count);
        made.device.memory_mib = *memory;
        made.device.cores = static_cast<int>(*cores);
        if (parts[5] != "-1") {
            const auto numa = number(5, "numa", 0, 1000);
            if (!numa) return numa.error();
            made.device.numa = static_cast<unsigned>(*numa);
        }
        made.device.is_healthy = parts[6] == "true";
        made.type = parts[4];
        out.push_back(std::move(made));
    }
    return out;
}

}  // namespace

result<node_devices> read_hami(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
    auto entries = is_json ? read_array(text) : read_commas(text);
    if (!entries) return entries.error();
    if (entries->size() > most_gpus) {
        return bad_value(std::to_string(entries->size()) + " GPUs, but a node has at most " +
                         std::to_string(most_gpus));
    }
    node_devices out;
    out.source = device_source::hami;
    std::set<std::string> uuids;
    for (auto& each : *entries) {
        if (!uuids.insert(each.device.uuid).second) {
            return bad_value("id: " + in_quotes(each.device.uuid) + " is there twice");
        }
        if (out.product.empty()) out.product = each.type;
        out.gpus.push_back(std::move(each.device));
    }
    std::ranges::stable_sort(out.gpus, {}, &gpu::index);
    return out;
}

}  // namespace gpu_scheduler
