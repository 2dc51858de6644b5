// How long the place of a deleted pod is kept for the next pod of its name.
#pragma once

#include <kcontrol/scheduling/gang_book.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling::detail {

/// By its annotation `scheduling.kcontrol.dev/keep-place`; zero: not at all.
inline duration keep_time(const api::core::v1::pod& pod) {
    const auto* const wanted = pod.metadata.annotations.get("scheduling.kcontrol.dev/keep-place");
    if (wanted == nullptr) return duration::zero();
    const auto read = parse_duration(*wanted);
    return read && *read > duration::zero() ? std::min<duration>(*read, gang_book::first_call) : duration::zero();
}

}  // namespace kcontrol::scheduling::detail
