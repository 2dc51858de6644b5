#include "hami/node_lock.hpp"

#include <kcontrol/values/time.hpp>

#include <algorithm>

namespace gpu_scheduler {

result<node_lock> read_node_lock(std::string_view value) {
    const auto wrong = [&] {
        return bad_value("annotation " + std::string(lock_annotation) + ": " +
                         in_quotes(kcontrol::utf8_prefix(value, 200)) + " is not TIME,NAMESPACE,POD; remove it");
    };
    const auto comma = value.find(',');
    const auto since = kcontrol::parse_time(value.substr(0, comma));
    if (!since) return wrong();
    node_lock out{*since, {}, {}};
    if (comma == std::string_view::npos) return out;
    const auto rest = value.substr(comma + 1);
    const auto next = rest.find(',');
    if (next == 0 || next == std::string_view::npos || next + 1 == rest.size() || rest.find(',', next + 1) != rest.npos)
        return wrong();
    out.namespace_ = rest.substr(0, next);
    out.pod = rest.substr(next + 1);
    return out;
}

std::string write_node_lock(const kcontrol::object_meta& pod, kcontrol::wall_time now) {
    return kcontrol::format_time(std::chrono::floor<std::chrono::seconds>(now)) + "," + pod.namespace_.str() + "," +
           pod.name.str();
}

lock_verdict judge(const node_lock& held, const kcontrol::api::core::v1::pod* holder, std::string_view node,
                   std::string_view scheduler, kcontrol::wall_time now) {
    kcontrol::wall_time until = held.since + lock_lifetime;
    if (held.names_pod()) {
        if (holder == nullptr || holder->status.phase == "Succeeded" || holder->status.phase == "Failed")
            return {true, {}};
        const bool is_bound = !holder->spec.node_name.empty();
        if (is_bound && holder->spec.node_name != node) return {true, {}};
        const auto* phase = holder->metadata.annotations.get(bind_phase_annotation);
        if (is_bound && phase != nullptr && (*phase == "success" || *phase == "failed")) return {true, {}};
        if (!is_bound && holder->spec.scheduler_name == scheduler) until = held.since + unbound_lifetime;
    }
    if (now >= until || held.since > now + lock_lifetime) return {true, {}};
    return {false, until};
}

}  // namespace gpu_scheduler
