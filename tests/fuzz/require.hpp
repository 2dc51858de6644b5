// For fuzz targets: an expectation whose failure libFuzzer records.
#pragma once

#include <cstdlib>

namespace kcontrol::fuzz {

inline void require(bool truth) {
    if (!truth) std::abort();
}

}  // namespace kcontrol::fuzz
