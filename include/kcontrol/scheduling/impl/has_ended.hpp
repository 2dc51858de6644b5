// Whether a pod has ended: it takes nothing of its node any more.
#pragma once

#include <kcontrol/api/core/v1.hpp>

namespace kcontrol::inline v0_1::scheduling::detail {

inline bool has_ended(const api::core::v1::pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace kcontrol::scheduling::detail
