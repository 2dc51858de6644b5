#include "push/influx_lines.hpp"

#include "history/metrics.hpp"

#include <charconv>
#include <chrono>
#include <cmath>

namespace gpu_labeler {
namespace {

// A tag can't be empty, and has no line breaks; a backslash at its end would escape what follows.
void add_tag(std::string& out, std::string_view name, std::string_view value) {
    while (value.ends_with('\\')) value.remove_suffix(1);
    if (value.empty()) return;
    out.append(",").append(name).append("=");
    for (const char c : value) {
        if (c == ',' || c == '=' || c == ' ') out += '\\';
        out += static_cast<unsigned char>(c) < ' ' ? '_' : c;
    }
}

class field_writer {
public:
    explicit field_writer(std::string& out) : out_(out) {}

    void add(std::string_view name, std::optional<double> value) {
        if (!value || !std::isfinite(*value)) return;
        char text[32];
        const auto end = std::to_chars(text, text + sizeof(text), *value).ptr;
        out_ += begun_ ? ',' : ' ';
        out_.append(name).append("=").append(text, end);
        begun_ = true;
    }

private:
    std::string& out_;
    bool begun_ = false;
};

std::optional<double> number(const std::optional<std::uint64_t>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

std::string influx_lines(const node_sample& sample, std::string_view host) {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(sample.time.time_since_epoch()).count();
    std::string out;
    for (const auto& gpu : sample.gpus) {
        out += "gpu";
        add_tag(out, "host", host);
        add_tag(out, "gpu", std::to_string(gpu.index));
        add_tag(out, "uuid", gpu.uuid);
        add_tag(out, "model", gpu.name);
        field_writer fields(out);
        fields.add("health", static_cast<double>(gpu.health));
        for (const auto& m : metrics) fields.add(m.name, value_of(gpu, m.which));
        fields.add("energyJ", gpu.energy_joules);
        if (gpu.nvlink) {
            fields.add("nvlinkTransmittedBytes", number(gpu.nvlink->transmitted_bytes));
            fields.add("nvlinkReceivedBytes", number(gpu.nvlink->received_bytes));
            fields.add("nvlinksActive", gpu.nvlink->active);
        }
        if (gpu.xid) fields.add("xid", static_cast<double>(gpu.xid->last));
        out.append(" ").append(std::to_string(time)).append("\n");
    }
    return out;
}

}  // namespace gpu_labeler
