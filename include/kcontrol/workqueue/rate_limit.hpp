// How long a key that keeps failing waits before its next try: exponential in the number of its failures.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/backoff.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1 {

/// controller-runtime's default for controllers: 5 ms doubling to 1000 s, no jitter, never reset by time.
KCONTROL_DECL backoff_policy default_rate_limit();

/// The delay after `failures` earlier failures (0 for the first one): initial × factorⁿ, at most the cap, then
/// stretched by jitter × `unit`, a random number in [0, 1). It does not overflow, however many failures there were.
KCONTROL_DECL duration rate_limit_delay(const backoff_policy& policy, std::uint64_t failures, double unit);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/rate_limit.ipp>
#endif
