#include "inventory/mig_profile.hpp"

#include <doctest/doctest.h>

using gpu_labeler::mig_profile_name;
using gpu_labeler::nvml::attributes;

namespace {

attributes parts(std::uint32_t gpu_slices, std::uint32_t compute_slices, std::uint64_t memory_mib,
                 std::uint32_t ofa = 0) {
    attributes a{};
    a.gpu_slices = gpu_slices;
    a.compute_slices = compute_slices;
    a.memory_mib = memory_mib;
    a.ofa_engines = ofa;
    return a;
}

constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST_CASE("MIG profile: the names of nvidia-smi mig -lgip") {
    struct row {
        std::uint64_t gpu_mib;
        attributes a;
        const char* name;
    };
    const row table[] = {
        {40960, parts(1, 1, 4864), "1g.5gb"},
        {40960, parts(1, 1, 4864, 1), "1g.5gb+me"},
        {40960, parts(1, 1, 9856), "1g.10gb"},
        {40960, parts(2, 2, 9856), "2g.10gb"},
        {40960, parts(3, 3, 19968), "3g.20gb"},
        {40960, parts(3, 1, 19968), "1c.3g.20gb"},
        {40960, parts(3, 2, 19968), "2c.3g.20gb"},
        {40960, parts(4, 4, 19968), "4g.20gb"},
        {40960, parts(7, 7, 40192, 1), "7g.40gb"},
        {81559, parts(1, 1, 9984), "1g.10gb"},
        {81559, parts(1, 1, 20096), "1g.20gb"},
        {81559, parts(3, 3, 40448), "3g.40gb"},
        {81559, parts(7, 7, 81152, 1), "7g.80gb"},
        {143771, parts(1, 1, 16384), "1g.18gb"},
        {143771, parts(1, 1, 33792), "1g.35gb"},
        {143771, parts(3, 3, 71000), "3g.71gb"},
        {143771, parts(7, 7, 143000, 1), "7g.141gb"},
        {24576, parts(1, 1, 5952), "1g.6gb"},
        {24576, parts(2, 2, 12032), "2g.12gb"},
        {24576, parts(4, 4, 24125, 1), "4g.24gb"},
        {0, parts(1, 1, 4864), "1g.0gb"},
    };
    for (const auto& r : table) {
        CAPTURE(r.gpu_mib);
        CHECK(mig_profile_name(r.a, r.gpu_mib * mib) == r.name);
    }
}
