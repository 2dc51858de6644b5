#pragma once

#include <kcontrol/runtime/impl/user_task.hpp>
#include <kcontrol/runtime/user_task.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL user_task user_task::of(const executor& ex) {
    user_task out;
    if (const auto* const own = ex.target<task_executor>()) out.state_ = own->task();
    return out;
}

}  // namespace kcontrol
