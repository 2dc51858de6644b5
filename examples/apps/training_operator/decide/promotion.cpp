// The last phase: traffic goes over to the new model, or back.
#include <kcontrol/controllerutil/finalizers.hpp>

#include "decide/decision.hpp"
#include "job/names.hpp"

namespace training_operator {

plan decision::promoting() {
    constexpr std::chrono::seconds try_again{30};  // where the route is not there, or another one
    remove([](const rank& r) { return !r.over; });
    if (!out_.remove.empty()) return out_;
    if (!job_.spec.promote) return turn("Succeeded", "Succeeded", "spec.promote is not set any more");
    const text* asked = job_.metadata.annotations.get(abort_annotation);
    const bool aborted = is_being_deleted(job_.metadata) || (asked != nullptr && *asked == "true");
    const auto& steps = job_.spec.promote->steps;
    auto& next = out_.status.promotion;
    if (aborted && next && !next->rolled_back) {
        next->rolled_back = true;
        next->weight = next->canary_before.value_or(0);
        out_.route.emplace() = {next->stable_before, next->canary_before};
        tell("Promoted", false, "RolledBack", "the weights are those from before");
        return out_;
    }
    if (aborted) return fail("PromotionAborted", "the promotion was aborted; the condition Promoted has the weights");
    if (job_.spec.suspend) return out_;  // the step is held
    look_again(now_ + try_again);
    if (!next) {
        out_.read_route = true;
        return out_;
    }
    const auto due = later(next->time, job_.spec.promote->hold_seconds);
    if (next->step > 0 && now_ < due) {
        out_.again = due;
        return out_;
    }
    if (next->step >= static_cast<std::int32_t>(steps.size())) {
        tell("Promoted", true, "Promoted", std::to_string(next->weight) + " % of the traffic go to the canary");
        return turn("Succeeded", "Succeeded", "the model is promoted");
    }
    next->weight = steps[static_cast<std::size_t>(next->step)];
    ++next->step;
    next->time = whole_seconds(now_);
    out_.route.emplace() = {100 - next->weight, next->weight};
    tell("Promoted", false, "Step", std::to_string(next->weight) + " % of the traffic go to the canary");
    return out_;
}

}  // namespace training_operator
