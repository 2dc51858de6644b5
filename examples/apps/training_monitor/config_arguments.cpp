#include "config_arguments.hpp"

#include <kcontrol/documents/yaml.hpp>

namespace training_monitor {
namespace {

namespace json = kcontrol::json;

using written_arguments = std::vector<std::pair<std::string, std::string>>;

kcontrol::error bad(std::string text) { return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text)); }

// gpuUsageInterval is gpu-usage-interval.
std::string flag_of(std::string_view key) {
    std::string out;
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

// A switch is there or not; those that are on by default have a `no` of their own.
std::string switch_argument(const std::string& flag, bool on) {
    if (on) return "--" + flag;
    return flag.starts_with("no-") ? "--" + flag.substr(3) : "--no-" + flag;
}

kcontrol::result<void> add(written_arguments& out, const std::string& key, const json::value& value) {
    const std::string flag = flag_of(key);
    if (value.is_bool()) {
        out.emplace_back(key, switch_argument(flag, value.get_bool()));
    } else if (value.is_object() || value.is_array() || value.is_null()) {
        return bad(key + ": one value, or a list of them, is expected here");
    } else {
        out.emplace_back(
            key,
            "--" + flag + "=" + (value.is_string() ? std::string(value.get_string().c_str()) : json::serialize(value)));
    }
    return {};
}

}  // namespace

kcontrol::result<written_arguments> config_arguments(std::string_view text) {
    const auto documents = json::parse_yaml(text);
    if (!documents) return documents.error();
    written_arguments out;
    if (documents->empty()) return out;
    if (documents->size() > 1) return bad("one document is expected, and there are several");
    const auto* keys = documents->front().if_object();
    if (!keys) return bad("keys with values are expected, such as `listen: 127.0.0.1:8080`");
    for (const auto& [name, value] : *keys) {
        const std::string key(name.data(), name.size());
        if (!value.is_array()) {
            if (const auto done = add(out, key, value); !done) return done.error();
            continue;
        }
        for (const auto& each : value.get_array()) {
            if (const auto done = add(out, key, each); !done) return done.error();
        }
    }
    return out;
}

}  // namespace training_monitor
