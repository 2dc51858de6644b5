#pragma once

#include <kcontrol/runtime/guest_task.hpp>
#include <kcontrol/runtime/impl/guest_task.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL guest_task guest_task::of(const executor& ex) {
    guest_task out;
    if (const auto* const own = ex.target<task_executor>()) out.state_ = own->task();
    return out;
}

}  // namespace kcontrol
