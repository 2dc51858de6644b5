#pragma once

#include <kcontrol/controllerutil/detail/dependents_plan.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL bool dependents_plan::is_wanted(std::size_t at) const {
    const entry& of = parts_[at];
    return of.is_wanted && std::all_of(of.after.begin(), of.after.end(), [this](std::size_t before) {
               return is_wanted(before) && parts_[before].end != dependent_state::absent;
           });
}

KCONTROL_DECL dependent_step dependents_plan::next(std::size_t at) const {
    bool is_blocked = false;
    if (is_wanted(at)) {
        for (const std::size_t before : parts_[at].after) {
            if (!parts_[before].end) return dependent_step::wait;
            is_blocked = is_blocked || parts_[before].end != dependent_state::ready;
        }
        return is_blocked ? dependent_step::blocked : dependent_step::apply;
    }
    for (std::size_t later = at + 1; later < parts_.size(); ++later) {
        const entry& of = parts_[later];
        if (std::find(of.after.begin(), of.after.end(), at) == of.after.end()) continue;
        if (!of.end) return dependent_step::wait;
        is_blocked = is_blocked || of.end != dependent_state::absent;
    }
    return is_blocked ? dependent_step::removing : dependent_step::remove;
}

}  // namespace kcontrol::detail
