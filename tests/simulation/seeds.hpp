// Which seeds a simulation runs. KCONTROL_SIM_SEEDS: how many; KCONTROL_SIM_FIRST: from which one on (1);
// KCONTROL_SIM_SEED: one only, to replay a failure.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace kcontrol::test {

struct seed_range {
    /// `usual` counts without either.
    explicit seed_range(std::uint64_t usual)
        : one(std::getenv("KCONTROL_SIM_SEED") != nullptr),  // seam: ok, the seeds to run
          first(one ? number_from("KCONTROL_SIM_SEED", 0) : number_from("KCONTROL_SIM_FIRST", 1)),
          last(one ? first : first + number_from("KCONTROL_SIM_SEEDS", usual) - 1) {}

    std::uint64_t count() const { return last - first + 1; }

    static std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
        const char* text = std::getenv(variable);  // seam: ok, the seeds to run
        return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
    }

    bool one;
    std::uint64_t first, last;
};

inline std::string describe(const std::vector<std::string>& violations) {
    std::string out;
    for (const auto& violation : violations) out += "\n  " + violation;
    return out;
}

}  // namespace kcontrol::test
