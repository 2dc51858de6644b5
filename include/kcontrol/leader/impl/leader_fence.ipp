#pragma once

#include <kcontrol/leader/leader_fence.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<duration> leader_fence::remaining() const {
    const std::int64_t until = state_->until;
    const duration left(until - state_->env->boot_now().time_since_epoch().count());
    if (left > duration::zero()) return left;
    return error(errc::not_leading, "lease " + state_->lease +
                                        (until == 0 ? ": it is not held by this process, which may not write"
                                                    : ": it was not renewed in time; writes are fenced by the "
                                                      "deadline"));
}

KCONTROL_DECL write_guard leader_fence::guard() const {
    return [fence = *this] { return fence.remaining(); };
}

}  // namespace kcontrol
