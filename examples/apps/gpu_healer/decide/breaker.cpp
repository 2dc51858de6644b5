#include "decide/breaker.hpp"

#include <kcontrol/model/condition.hpp>

#include <algorithm>

namespace gpu_healer {
namespace {

bool is_open(const healing_policy& of) { return is_true(of.status.conditions, "BreakerOpen"); }

}  // namespace

std::int64_t breaker_limit(const breaker_spec& spec, std::int64_t nodes) {
    return std::max<std::int64_t>(spec.min_nodes, nodes * spec.max_percent / 100);
}

bool admits(const healing_policy& of, std::int64_t nodes, const std::set<std::string>& tainted,
            const std::string& node) {
    if (tainted.contains(node)) return true;
    if (std::ranges::any_of(of.status.admitted, [&](const text& one) { return one == node; })) return true;
    return !is_open(of) && std::int64_t(tainted.size()) < breaker_limit(of.spec.breaker, nodes);
}

breaker_decision decide_breaker(const healing_policy& of, const breaker_facts& seen) {
    breaker_decision out;
    out.next = of.status;
    const auto limit = breaker_limit(of.spec.breaker, seen.nodes);
    auto& next = out.next;
    next.nodes = std::int32_t(seen.nodes);
    next.ill = std::int32_t(seen.ill.size());
    next.tainted = std::int32_t(seen.tainted.size());
    if (seen.reset.empty()) next.reset = {};
    if (!seen.reset.empty()) {
        out.forgets_reset = true;
        if (next.reset != seen.reset) {  // else it was written, and only the annotation is left
            std::int64_t more = limit;
            for (const auto& node : seen.held) {
                if (more-- > 0) next.admitted.push_back(text(node));
            }
            next.reset = seen.reset;
        }
    }
    // Admitted nodes are remembered until they are neither held nor tainted.
    list<text> still;
    for (const auto& node : next.admitted) {
        if (seen.tainted.contains(node.str()) || std::ranges::find(seen.held, node.str()) != seen.held.end())
            still.push_back(node);
    }
    if (still.size() != next.admitted.size()) next.admitted = still;

    const bool calm =
        std::int64_t(seen.ill.size()) <= limit && std::int64_t(seen.tainted.size() + seen.held.size()) <= limit;
    if (!is_open(of)) {
        next.calm_time = {};
        out.opened = !seen.held.empty() && !calm;
        return out;
    }
    if (!calm) {
        next.calm_time = {};
        return out;
    }
    if (!next.calm_time.present()) next.calm_time = wall_time(std::chrono::floor<std::chrono::seconds>(seen.now));
    const auto end = next.calm_time.value() + std::chrono::seconds(of.spec.breaker.window_seconds);
    out.closed = seen.now >= end;
    if (out.closed) {
        next.calm_time = {};
    } else {
        out.wake = end;
    }
    return out;
}

std::optional<wall_time> common_cause(std::vector<wall_time> faults, std::optional<wall_time> last) {
    std::ranges::sort(faults);
    for (std::size_t i = 0; i + 2 < faults.size(); ++i) {
        if (last && faults[i] <= *last + std::chrono::minutes(1)) continue;
        if (faults[i + 2] - faults[i] <= std::chrono::seconds(10)) return faults[i + 2];
    }
    return std::nullopt;
}

}  // namespace gpu_healer
