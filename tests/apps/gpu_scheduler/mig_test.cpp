// Slices: names, and places against all masks of each table.
#include "devices/mig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace gpu_scheduler;

namespace {

struct card {
    const char* product;
    std::int64_t memory_mib;
    std::vector<std::string> names;
};

// Names as NVIDIA's guide has them, the largest first.
const std::vector<card> cards = {
    {"NVIDIA-A100-SXM4-40GB", 40960, {"7g.40gb", "4g.20gb", "3g.20gb", "2g.10gb", "1g.10gb", "1g.5gb", "1g.5gb+me"}},
    {"NVIDIA-A100-SXM4-80GB", 81920, {"7g.80gb", "4g.40gb", "3g.40gb", "2g.20gb", "1g.20gb", "1g.10gb", "1g.10gb+me"}},
    {"NVIDIA-H100-80GB-HBM3", 81559, {"7g.80gb", "4g.40gb", "3g.40gb", "2g.20gb", "1g.20gb", "1g.10gb", "1g.10gb+me"}},
    {"NVIDIA-H100-NVL", 95830, {"7g.94gb", "4g.47gb", "3g.47gb", "2g.24gb", "1g.24gb", "1g.12gb", "1g.12gb+me"}},
    {"NVIDIA-H200", 143771, {"7g.141gb", "4g.71gb", "3g.71gb", "2g.35gb", "1g.35gb", "1g.18gb", "1g.18gb+me"}},
    {"NVIDIA-B200", 183359, {"7g.180gb", "4g.90gb", "3g.90gb", "2g.45gb", "1g.45gb", "1g.23gb", "1g.23gb+me"}},
    {"NVIDIA-A30", 24576, {"4g.24gb", "2g.12gb", "2g.12gb+me", "1g.6gb", "1g.6gb+me"}},
};

// All ways to put slices of one kind into the free slots, by trying each subset of places.
unsigned most_by_force(const mig_profile& profile, slot_mask taken) {
    unsigned most = 0;
    for (unsigned subset = 0; subset < 1U << profile.starts.size(); ++subset) {
        slot_mask mask = taken;
        unsigned count = 0;
        bool fits = true;
        for (std::size_t i = 0; i < profile.starts.size(); ++i) {
            if ((subset >> i & 1U) == 0) continue;
            for (unsigned slot = profile.starts[i]; slot < profile.starts[i] + profile.slots; ++slot) {
                fits = fits && (mask >> slot & 1U) == 0;
                mask |= 1U << slot;
            }
            ++count;
        }
        if (fits) most = std::max(most, count);
    }
    return most;
}

}  // namespace

TEST_CASE("mig: names of the profiles") {
    for (const auto& each : cards) {
        CAPTURE(each.product);
        std::vector<std::string> names;
        for (const auto& profile : mig_profiles(each.product, each.memory_mib)) names.push_back(profile.name);
        CHECK(names == each.names);
    }
    CHECK(mig_profiles("NVIDIA-A300X", 40960).size() == 7);
}

TEST_CASE("mig: places against all masks of each table") {
    for (const auto& each : cards) {
        const auto profiles = mig_profiles(each.product, each.memory_mib);
        for (slot_mask taken = 0; taken < 256; ++taken) {
            for (const auto& wanted : profiles) {
                CAPTURE(each.product);
                CAPTURE(taken);
                CAPTURE(wanted.name);
                REQUIRE(most_slices(wanted, taken) == most_by_force(wanted, taken));
                // The best place by the rule itself: what each place leaves for the largest, the next one, and so on.
                std::optional<std::pair<std::vector<unsigned>, unsigned>> expected;
                for (const auto start : wanted.starts) {
                    bool fits = true;
                    slot_mask after = taken;
                    for (unsigned slot = start; slot < start + wanted.slots; ++slot) {
                        fits = fits && (taken >> slot & 1U) == 0;
                        after |= 1U << slot;
                    }
                    if (!fits) continue;
                    std::pair<std::vector<unsigned>, unsigned> next{{}, start};
                    for (const auto& other : profiles) next.first.push_back(most_by_force(other, after));
                    if (!expected || *expected < next) expected = next;
                }
                const auto found = best_start(profiles, wanted, taken);
                REQUIRE(found.has_value() == expected.has_value());
                if (found) REQUIRE(*found == expected->second);
            }
        }
    }
}

// A pod's slices are placed one after the other, the largest first: that never fails where there is another way.
TEST_CASE("mig: the largest first finds a way wherever there is one") {
    for (const auto* product : {"NVIDIA-A100-SXM4-40GB", "NVIDIA-A30"}) {
        const auto profiles = mig_profiles(product, std::string_view(product) == "NVIDIA-A30" ? 24576 : 40960);
        const auto size = profiles.size();
        const std::function<bool(std::vector<std::size_t>, slot_mask)> by_force = [&](std::vector<std::size_t> wanted,
                                                                                      slot_mask taken) {
            if (wanted.empty()) return true;
            const auto& profile = profiles[wanted.back()];
            wanted.pop_back();
            return std::ranges::any_of(profile.starts, [&](unsigned start) {
                return (taken & profile.at(start)) == 0 && by_force(wanted, taken | profile.at(start));
            });
        };
        for (slot_mask taken = 0; taken < 256; ++taken) {
            for (std::size_t a = 0; a < size; ++a) {
                for (std::size_t b = a; b < size; ++b) {
                    for (std::size_t c = b; c < size; ++c) {
                        auto mask = taken;
                        bool fits = true;
                        for (const auto next : {a, b, c}) {
                            const auto start = best_start(profiles, profiles[next], mask);
                            fits = fits && start;
                            if (start) mask |= profiles[next].at(*start);
                        }
                        CAPTURE(product);
                        CAPTURE(taken);
                        CAPTURE(profiles[a].name);
                        CAPTURE(profiles[b].name);
                        CAPTURE(profiles[c].name);
                        REQUIRE(fits == by_force({a, b, c}, taken));
                    }
                }
            }
        }
    }
}

TEST_CASE("mig: rows of HAMi's tests on an A100 of 40 GB") {
    const auto profiles = mig_profiles("NVIDIA-A100-SXM4-40GB", 40960);
    const auto start = [&](const char* name, slot_mask taken) {
        return best_start(profiles, *find_profile(profiles, name), taken);
    };
    CHECK(start("1g.5gb", 0) == 6U);
    CHECK(start("3g.20gb", 0) == 4U);
    CHECK(start("2g.10gb", 0xF0) == 2U);
    CHECK_FALSE(start("1g.5gb", 0x7F));
    CHECK_FALSE(start("2g.10gb", 0x3F));
    CHECK(start("7g.40gb", 0) == 0U);
    CHECK_FALSE(start("7g.40gb", 0x80));
    CHECK(find_profile(profiles, "1g.20gb") == nullptr);
}
