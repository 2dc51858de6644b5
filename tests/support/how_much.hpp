// How much of a test runs: what a variable of the environment asks for, and whether what is promised of thousands is
// tried with thousands.
#pragma once

#include "support/sanitizers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kcontrol::test {

/// The number that `variable` has, or `usual` where it is not set.
inline std::uint64_t asked_for(const char* variable, std::uint64_t usual) {
    const char* const asked = std::getenv(variable);  // seam: ok, how long a test shall be
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

/// False where a sanitizer makes each of thousands ten times as expensive, and finds with a tenth of them what it can
/// find. KCONTROL_FULL_SIZE=1, which `scripts/test.sh --all` sets, asks for all even there.
inline bool full_size() { return asked_for("KCONTROL_FULL_SIZE", under_sanitizer ? 0 : 1) != 0; }

/// `full`, or where that is too much one in `times` of it, but one at least.
inline std::uint64_t as_many_as(std::uint64_t full, std::uint64_t times = 5) {
    return full_size() ? full : std::max<std::uint64_t>(1, full / times);
}

}  // namespace kcontrol::test
