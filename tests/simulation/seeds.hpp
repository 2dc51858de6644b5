// Which seeds a simulation runs. KCONTROL_SIM_SEEDS: how many; KCONTROL_SIM_FIRST: from which one on (1);
// KCONTROL_SIM_SEED: one only, to replay a failure.
#pragma once

#include "support/how_much.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace kcontrol::test {

struct seed_range {
    /// Without the first and the last, `full` of them, or under a sanitizer one in `times` of these.
    explicit seed_range(std::uint64_t full, std::uint64_t times = 20)
        : one(std::getenv("KCONTROL_SIM_SEED") != nullptr),  // seam: ok, the seeds to run
          first(one ? asked_for("KCONTROL_SIM_SEED", 0) : asked_for("KCONTROL_SIM_FIRST", 1)),
          last(one ? first : first + asked_for("KCONTROL_SIM_SEEDS", as_many_as(full, times)) - 1) {}

    std::uint64_t count() const { return last - first + 1; }

    bool one;
    std::uint64_t first, last;
};

inline std::string describe(const std::vector<std::string>& violations) {
    std::string out;
    for (const auto& violation : violations) out += "\n  " + violation;
    return out;
}

}  // namespace kcontrol::test
