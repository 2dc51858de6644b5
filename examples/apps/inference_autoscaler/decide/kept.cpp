#include "decide/kept.hpp"

#include <algorithm>

namespace inference_autoscaler {

memory restore(const inference_scaler_status& status, const std::vector<scaling_rule>& rules, std::int32_t replicas,
               const moment& at) {
    memory out;
    out.rules.resize(rules.size());
    out.refused_replicas = status.refused_replicas;
    for (const rule_status& kept : status.rules) {
        const auto found = std::ranges::find(rules, kept.name, &scaling_rule::name);
        if (found == rules.end()) continue;
        rule_memory& rule = out.rules[static_cast<std::size_t>(found - rules.begin())];
        rule.ineffective = kept.ineffective;
        rule.refused = kept.refused;
    }
    if (!status.last_scale) return out;
    const scale_record& last = *status.last_scale;
    out.replicas = replicas == status.replicas ? replicas : last.to;
    out.own_zero = last.to == 0 && last.rule == "zero";
    if (!last.time.present()) return out;
    const duration ago = std::max<duration>(at.wall - last.time.value(), duration(0));
    out.changed = out.lowered = at.now - ago;  // a down before it was no later
    if (last.to < last.from) out.lowered_to = last.to;
    return out;
}

void keep(const memory& from, const std::vector<scaling_rule>& rules, inference_scaler_status& status) {
    status.refused_replicas = from.refused_replicas;
    status.rules.clear();
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto refused = from.refused_replicas ? from.rules[i].refused : std::nullopt;
        if (!from.rules[i].ineffective && !refused) continue;
        rule_status kept;
        kept.name = rules[i].name;
        kept.ineffective = from.rules[i].ineffective;
        kept.refused = refused;
        status.rules.push_back(kept);
    }
}

}  // namespace inference_autoscaler
