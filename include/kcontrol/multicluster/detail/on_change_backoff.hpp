// When a source of clusters calls its on_change() again after it threw.
#pragma once

#include <kcontrol/runtime/backoff.hpp>

namespace kcontrol::inline v0_1::detail {

inline backoff_policy on_change_backoff() {
    return backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::seconds(30)).jitter(0.1);
}

}  // namespace kcontrol::detail
