// State and age as the C interface has them.
#pragma once

#include <kcontrol/runtime/time.hpp>
#include <kcontrol/service/freshness.hpp>

#include <chrono>
#include <cstdint>
#include <kcontrol_service.h>

namespace kcontrol::inline v0_1::service_c {

inline int code_of(service::freshness state) noexcept {
    return state == service::freshness::live ? KC_LIVE : state == service::freshness::resuming ? KC_RESUMING : KC_STALE;
}

/// -1: nothing was ever known.
inline std::int64_t ms_of(duration age) noexcept {
    if (age == duration::max()) return -1;
    return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

}  // namespace kcontrol::service_c
