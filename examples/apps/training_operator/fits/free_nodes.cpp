#include "fits/free_nodes.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace training_operator {
namespace {

// In thousandths.
using amounts = std::map<std::string, std::int64_t, std::less<>>;

std::int64_t amount_of(std::string_view text) {
    const auto read = quantity::parse(text);
    return read ? read->milli_value() : 0;
}

amounts amounts_of(const api::core::v1::resource_requirements& resources) {
    amounts out;
    for (const auto* each : {&resources.limits, &resources.requests}) {
        for (const auto& [name, amount] : *each) out[name.str()] = amount_of(amount);
    }
    return out;
}

// Sidecars begin before the others and stay; other init containers run by themselves.
template <class Spec>
amounts asked_by(const Spec& pod) {
    amounts out, largest;
    for (const auto& each : pod.containers) {
        for (const auto& [name, amount] : amounts_of(each.resources)) out[name] += amount;
    }
    for (const auto& each : pod.init_containers) {
        const bool stays = each.restart_policy == "Always";
        for (const auto& [name, amount] : amounts_of(each.resources)) {
            if (stays) out[name] += amount;
            if (!stays) largest[name] = std::max(largest[name], amount);
        }
    }
    for (const auto& [name, amount] : largest) out[name] = std::max(out[name], amount);
    return out;
}

bool tolerates(const api::core::v1::pod_spec& pod, const api::core::v1::taint& taint) {
    if (taint.effect == "PreferNoSchedule") return true;
    return std::ranges::any_of(pod.tolerations, [&](const api::core::v1::toleration& t) {
        const bool exists = t.operator_ == "Exists";
        const bool same_key = t.key == taint.key || (t.key.empty() && exists);
        return same_key && (exists || t.value == taint.value) && (t.effect.empty() || t.effect == taint.effect);
    });
}

bool has_place(const offered_node& node, const api::core::v1::pod_spec& pod) {
    if (node.spec.unschedulable || !is_true(node.status.conditions, "Ready")) return false;
    for (const auto& taint : node.spec.taints) {
        if (!tolerates(pod, taint)) return false;
    }
    return std::ranges::all_of(pod.node_selector, [&](const auto& wanted) {
        const text* found = node.metadata.labels.get(wanted.first);
        return found != nullptr && *found == wanted.second;
    });
}

}  // namespace

std::int64_t workers_that_fit(const training_job& job, const std::vector<std::shared_ptr<const offered_node>>& nodes,
                              const std::vector<std::shared_ptr<const placed_pod>>& pods) {
    constexpr std::int64_t one = 1000;
    std::map<std::string, amounts, std::less<>> held;
    for (const auto& pod : pods) {
        if (pod->spec.node_name.empty() || pod->status.phase == "Succeeded" || pod->status.phase == "Failed") continue;
        auto& on = held[pod->spec.node_name.str()];
        on["pods"] += one;
        for (const auto& [name, amount] : asked_by(pod->spec)) on[name] += amount;
    }
    auto needs = asked_by(job.spec.template_.spec);
    needs["pods"] = one;
    if (job.spec.accelerator) needs[job.spec.accelerator->resource] = job.spec.accelerator->per_worker * one;
    std::int64_t fit = 0;
    for (const auto& node : nodes) {
        if (!has_place(*node, job.spec.template_.spec)) continue;
        auto& on = held[node->metadata.name.str()];
        std::int64_t here = std::numeric_limits<std::int32_t>::max();
        for (const auto& [name, amount] : needs) {
            if (amount <= 0) continue;
            const auto* has = node->status.allocatable.get(name);
            here = std::min(here, has == nullptr ? 0 : std::max<std::int64_t>(0, amount_of(*has) - on[name]) / amount);
        }
        fit += here;
    }
    return fit;
}

result<bool> read_fits(int status, std::string_view body) {
    const auto read = json::parse(body);
    const auto* now = status == 200 && read ? json::find(*read, {"now"}) : nullptr;
    if (now == nullptr || !now->is_bool()) {
        return error(errc::invalid_argument, "the scheduler's answer " + std::to_string(status) +
                                                 " does not say whether a gang fits; check --scheduler-url");
    }
    return now->get_bool();
}

}  // namespace training_operator
