#include "config_file.hpp"

#include <kcontrol/documents/yaml.hpp>

#include "messages.hpp"

#include <charconv>
#include <optional>

namespace gpu_labeler {
namespace {

namespace json = kcontrol::json;
using kcontrol::result;

// noTimestamp is --no-timestamp.
std::string flag_of(std::string_view key) {
    std::string out = "--";
    for (const char c : key) {
        if (c < 'A' || c > 'Z') {
            out += c;
            continue;
        }
        out += '-';
        out += static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

result<void> set_scalar(options& o, std::string_view path, std::string_view key, const json::value& value) {
    if (value.is_object() || value.is_array() || value.is_null()) {
        return bad_argument(std::string(path) + ": one value is expected here");
    }
    const auto text = value.is_string() ? std::string(value.get_string().c_str()) : json::serialize(value);
    const auto done = set_option(o, flag_of(key), text);
    if (!done) return done.error().with_context(path);
    return {};
}

// The parts of the device plugin's flags that are the labeler's too.
result<void> read_plugin_flags(options& o, const json::value& flags) {
    static constexpr std::string_view of_gfd[] = {"noTimestamp", "machineTypeFile"};
    if (const auto* strategy = json::find(flags, {"migStrategy"})) {
        if (auto done = set_scalar(o, "flags.migStrategy", "migStrategy", *strategy); !done) return done;
    }
    for (const auto name : of_gfd) {
        const auto* value = json::find(flags, {"gfd", name});
        if (!value || value->is_null()) continue;
        if (auto done = set_scalar(o, "flags.gfd." + std::string(name), name, *value); !done) return done;
    }
    return {};
}

bool is_true(const json::value* v) { return v && v->is_bool() && v->get_bool(); }

std::optional<std::int64_t> whole_number(const json::value* v) {
    if (v && v->is_int64()) return v->get_int64();
    if (v && v->is_uint64()) return std::nullopt;
    return std::nullopt;
}

result<void> read_shared(sharing& out, const std::string& path, const json::value& section) {
    const auto* resources = json::find(section, {"resources"});
    if (!resources || !resources->is_array()) return bad_argument(path + ".resources: a list is expected here");
    const bool all_renamed = is_true(json::find(section, {"renameByDefault"}));
    std::size_t at = 0;
    for (const auto& each : resources->get_array()) {
        const auto where = path + ".resources[" + std::to_string(at++) + "]";
        const std::string name(json::get_string(each, {"name"}));
        if (name.empty()) return bad_argument(where + ".name: missing; use for example nvidia.com/gpu");
        const auto replicas = whole_number(json::find(each, {"replicas"}));
        if (!replicas || *replicas < 2 || *replicas > 1'000'000) {
            return bad_argument(where + ".replicas: a whole number of at least 2 is expected here");
        }
        const bool renamed = all_renamed || !json::get_string(each, {"rename"}).empty();
        if (!out.resources.emplace(name, shared_resource{static_cast<unsigned>(*replicas), renamed}).second) {
            return bad_argument(where + ".name: " + in_quotes(name) + " is there twice");
        }
    }
    return {};
}

result<void> read_sharing(options& o, const json::value& section) {
    const auto* slicing = json::find(section, {"timeSlicing"});
    const auto* mps = json::find(section, {"mps"});
    if (slicing && slicing->is_null()) slicing = nullptr;
    if (mps && mps->is_null()) mps = nullptr;
    if (slicing && mps) return bad_argument("sharing: timeSlicing and mps exclude each other");
    sharing read;
    if (slicing || mps) {
        read.kind = slicing ? sharing_kind::time_slicing : sharing_kind::mps;
        const auto done =
            slicing ? read_shared(read, "sharing.timeSlicing", *slicing) : read_shared(read, "sharing.mps", *mps);
        if (!done) return done;
    }
    o.shared(std::move(read));
    return {};
}

}  // namespace

result<void> read_config(options& o, std::string_view text) {
    const auto documents = json::parse_yaml(text);
    if (!documents) return documents.error();
    if (documents->empty()) return {};
    if (documents->size() > 1) return bad_argument("one document is expected, and there are several");
    const auto* keys = documents->front().if_object();
    if (!keys) return bad_argument("keys with values are expected, such as `migStrategy: mixed`");
    for (const auto& [name, value] : *keys) {
        const std::string_view key(name.data(), name.size());
        result<void> done;
        if (key == "sharing") {
            done = read_sharing(o, value);
        } else if (key == "flags") {
            done = read_plugin_flags(o, value);
        } else if (key == "version") {
            if (!value.is_string() || value.get_string() != "v1") done = bad_argument("version: only v1 is known");
        } else if (key != "resources") {
            done = set_scalar(o, key, key, value);
        }
        if (!done) return done;
    }
    return {};
}

}  // namespace gpu_labeler
