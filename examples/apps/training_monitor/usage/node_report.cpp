#include "usage/node_report.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/model/field.hpp>

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

using kcontrol::field;
using kcontrol::fields;

constexpr std::size_t most_gpus = 64, most_holders = 64, longest_text = 256;

struct told_utilization {
    std::optional<double> gpu;
    static constexpr auto kcontrol_fields() { return fields(field("gpu", &told_utilization::gpu)); }
};

struct told_memory {
    std::optional<std::int64_t> total, used;
    static constexpr auto kcontrol_fields() {
        return fields(field("totalBytes", &told_memory::total), field("usedBytes", &told_memory::used));
    }
};

struct told_xid {
    std::int64_t last = 0;
    std::string time;
    static constexpr auto kcontrol_fields() {
        return fields(field("last", &told_xid::last), field("time", &told_xid::time));
    }
};

struct told_user {
    std::string name_space, pod;
    std::optional<std::string> slice;
    static constexpr auto kcontrol_fields() {
        using self = told_user;
        return fields(field("namespace", &self::name_space), field("pod", &self::pod), field("migUuid", &self::slice));
    }
};

struct told_gpu {
    std::int64_t index = 0;
    std::optional<std::string> name;
    std::string health, reason;
    std::optional<double> temperature, power;
    told_utilization utilization;
    told_memory memory;
    std::optional<told_xid> xid;
    std::vector<told_user> users;
    static constexpr auto kcontrol_fields() {
        using self = told_gpu;
        return fields(field("index", &self::index), field("name", &self::name), field("health", &self::health),
                      field("reason", &self::reason), field("temperatureC", &self::temperature),
                      field("powerW", &self::power), field("utilization", &self::utilization),
                      field("memory", &self::memory), field("xid", &self::xid), field("users", &self::users));
    }
};

struct told_node {
    std::string state, message;
    std::vector<told_gpu> items;
    static constexpr auto kcontrol_fields() {
        using self = told_node;
        return fields(field("state", &self::state), field("message", &self::message), field("items", &self::items));
    }
};

std::string cut(std::string text) {
    if (text.size() <= longest_text) return text;
    std::size_t size = longest_text;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;
    text.resize(size);
    return text;
}

std::optional<double> within(std::optional<double> value, double least, double most) {
    return value && *value >= least && *value <= most ? value : std::nullopt;
}

std::optional<std::int64_t> not_negative(std::optional<std::int64_t> value) {
    constexpr std::int64_t most = std::int64_t{1} << 50;  // sums of them stay numbers
    return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

gpu_report report_of(told_gpu&& told) {
    gpu_report out;
    out.index = told.index;
    out.name = cut(std::move(told.name).value_or(""));
    const bool known = told.health == "ok" || told.health == "degraded" || told.health == "failed";
    out.health = known ? std::move(told.health) : "unknown";
    out.reason = cut(std::move(told.reason));
    out.utilization = within(told.utilization.gpu, 0, 100);
    out.memory_used_bytes = not_negative(told.memory.used);
    out.memory_total_bytes = not_negative(told.memory.total);
    out.power_watts = within(told.power, 0, 1e5);
    out.temperature_celsius = within(told.temperature, -100, 1000);
    if (told.xid) {
        out.xid = told.xid->last;
        out.xid_time = cut(std::move(told.xid->time));
    }
    told.users.resize(std::min(told.users.size(), most_holders));
    for (auto& user : told.users) {
        out.holders.push_back({cut(std::move(user.name_space)), cut(std::move(user.pod)), user.slice.has_value()});
    }
    return out;
}

}  // namespace

bool node_report::knows_holders() const noexcept {
    return std::any_of(gpus.begin(), gpus.end(), [](const gpu_report& g) { return !g.holders.empty(); });
}

kcontrol::result<node_report> read_node_report(std::string_view text) {
    auto told = kcontrol::from_json<told_node>(text);
    if (!told) return told.error();
    node_report out;
    out.state = cut(std::move(told->state));
    out.message = cut(std::move(told->message));
    told->items.resize(std::min(told->items.size(), most_gpus));
    for (auto& gpu : told->items) out.gpus.push_back(report_of(std::move(gpu)));
    std::stable_sort(out.gpus.begin(), out.gpus.end(),
                     [](const gpu_report& a, const gpu_report& b) { return a.index < b.index; });
    return out;
}

}  // namespace training_monitor
