#pragma once

#include <kcontrol/scheduling/decision.hpp>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::string decision::message() const {
    if (placed()) return {};
    if (result == decision_result::error) return std::string(pod_refused.answer.reason(0).view());
    const std::string more = post_filter_message.empty() ? std::string() : " " + post_filter_message;
    if (pod_refused.answer.ok()) return refused.message(nodes) + more;
    if (pod_refused.point == plugin_point::pre_filter) return pre_filter_message(nodes, pod_refused.answer) + more;
    // As kube-scheduler, which speaks of the one node that was chosen.
    refusals of_one;
    of_one.add(pod_refused.answer);
    return of_one.message(1);
}

}  // namespace kcontrol::scheduling
