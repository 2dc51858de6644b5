#pragma once

#include <kcontrol/scheduling/impl/preemption_search.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL bool preemption_policy::may_evict(const pod_info& preemptor, const pod_info& victim) const {
    if (may_evict_) return may_evict_(preemptor, victim);
    return victim.priority() < preemptor.priority() && preemptor.pod().spec.preemption_policy != "Never";
}

KCONTROL_DECL preemption_plan plan_preemption(cycle& round, cache& cluster, const std::shared_ptr<const pod_info>& pod,
                                              const preemption_policy& policy, const nominations& nominated) {
    return plan_preemption(round, cluster, std::span(&pod, 1), 1, policy, nominated);
}

KCONTROL_DECL preemption_plan plan_preemption(cycle& round, cache& cluster,
                                              std::span<const std::shared_ptr<const pod_info>> members,
                                              std::int32_t needed, const preemption_policy& policy,
                                              const nominations& nominated) {
    return detail::preemption_search(round, cluster, policy, nominated).plan(members, needed);
}

KCONTROL_DECL post_filter_result default_preemption::post_filter(const post_filter_request& request) const {
    post_filter_result out;
    out.answer = status::skip();
    if (!request.gang.empty()) return out;
    out.answer = status();
    auto plan = plan_preemption(request.round, request.cluster, request.pod, policy_, request.nominated);
    if (plan.found()) {
        out.place = std::move(plan.places.front());
        out.victims = std::move(plan.victims);
    } else {
        out.answer = status::unschedulable(interned_name("preemption: " + plan.reason));
    }
    return out;
}

}  // namespace kcontrol::scheduling
