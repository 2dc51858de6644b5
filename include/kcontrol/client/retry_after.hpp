// How long a server that refuses a request asks to wait, for programs that repeat what the client does not.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>

namespace kcontrol::inline v0_1 {

/// How long the server that gave this error asks to wait, at most two minutes; zero if it does not say. The client
/// waits by itself where it repeats requests. It repeats no watch.
///
/// Thread-safety: any thread. Source: RFC 9110 §10.2.3; metav1.StatusDetails.retryAfterSeconds.
inline duration retry_after_of(const error& why) {
    if (why.status() == nullptr || !why.status()->retry_after) return duration::zero();
    return std::clamp(*why.status()->retry_after, std::chrono::seconds(0), api_status::max_retry_after);
}

}  // namespace kcontrol
