#include "pods/node_fault.hpp"

#include <kcontrol/base/utf8.hpp>

#include "jobs/job_view.hpp"

#include <cstdint>

namespace training_monitor {
namespace {

constexpr std::int64_t most_before = 600, most_after = 30;
constexpr std::size_t most_text = 100;

std::string_view digits_at(std::string_view text, std::size_t at) {
    const auto end = text.find_first_not_of("0123456789", at);
    return text.substr(at, (end == std::string_view::npos ? text.size() : end) - at);
}

// "40 s", "3 min"
std::string pause_text(std::int64_t seconds) {
    return seconds < 120 ? std::to_string(seconds) + " s" : std::to_string(seconds / 60) + " min";
}

}  // namespace

std::optional<object_event> fault_of(const training_node& node) {
    for (const auto& c : node.status.conditions) {
        if (c.type != gpu_condition || c.status != "False") continue;
        object_event out;
        out.kind = "Node";
        out.name = std::string(std::string_view(node.metadata.name));
        out.type = "Warning";
        out.reason = c.reason;
        out.message = std::string(kcontrol::utf8_prefix(c.message, 1024));
        out.last_seen = parse_rfc3339_seconds(c.last_transition_time);
        return out;
    }
    return std::nullopt;
}

std::string short_fault(std::string_view message) {
    constexpr std::string_view gpu = "GPU ", xid = "XID ";
    if (!message.starts_with(gpu)) return {};
    const auto index = digits_at(message, gpu.size());
    const auto colon = message.find(": ");
    if (index.empty() || colon == std::string_view::npos) return {};
    auto reason = message.substr(colon + 2);
    reason = reason.substr(0, reason.find("; "));  // of the next GPU
    const auto number = reason.starts_with(xid) ? digits_at(reason, xid.size()) : std::string_view();
    const std::string what =
        number.empty() ? std::string(kcontrol::utf8_prefix(reason, most_text)) : std::string(xid).append(number);
    return what + (number.empty() ? " (GPU " + std::string(index) + ")" : " of GPU " + std::string(index));
}

std::string fault_clause(const job_failure& failure, const std::vector<object_event>& events) {
    if (!failure.at || failure.node.empty()) return {};
    for (const auto& e : events) {
        if (e.kind != "Node" || e.name != failure.node || !e.last_seen) continue;
        const std::string fault = short_fault(e.message);
        const std::int64_t pause = *failure.at - *e.last_seen;
        if (fault.empty() || pause > most_before || pause < -most_after) continue;
        return pause > 0 ? ", " + pause_text(pause) + " after " + fault : ", with " + fault;
    }
    return {};
}

}  // namespace training_monitor
