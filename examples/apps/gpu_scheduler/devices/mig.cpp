#include "devices/mig.hpp"

#include <algorithm>
#include <cmath>

namespace gpu_scheduler {
namespace {

struct shape {
    const char* compute;
    unsigned slots;
    std::vector<unsigned> starts;
    bool has_media_engines = false;
};

bool is_a30(std::string_view product) {
    const auto at = product.find("A30");
    return at != std::string_view::npos && (at + 3 == product.size() || product[at + 3] < '0' || product[at + 3] > '9');
}

}  // namespace

std::vector<mig_profile> mig_profiles(std::string_view product, std::int64_t memory_mib) {
    static const std::vector<shape> of_eight = {{"7g", 8, {0}},
                                                {"4g", 4, {0}},
                                                {"3g", 4, {0, 4}},
                                                {"2g", 2, {0, 2, 4}},
                                                {"1g", 2, {0, 2, 4, 6}},
                                                {"1g", 1, {0, 1, 2, 3, 4, 5, 6}},
                                                {"1g", 1, {0, 1, 2, 3, 4, 5, 6}, true}};
    static const std::vector<shape> of_four = {{"4g", 4, {0}},
                                               {"2g", 2, {0, 2}},
                                               {"2g", 2, {0, 2}, true},
                                               {"1g", 1, {0, 1, 2, 3}},
                                               {"1g", 1, {0, 1, 2, 3}, true}};
    const bool small = is_a30(product);
    const auto gib = static_cast<double>((memory_mib + 1023) / 1024);
    std::vector<mig_profile> out;
    for (const auto& each : small ? of_four : of_eight) {
        const auto gb = std::llround(gib * each.slots / (small ? 4 : 8));
        out.push_back(
            {std::string(each.compute) + "." + std::to_string(gb) + "gb" + (each.has_media_engines ? "+me" : ""),
             each.slots, each.starts, each.has_media_engines});
    }
    return out;
}

const mig_profile* find_profile(const std::vector<mig_profile>& profiles, std::string_view name) {
    const auto found = std::ranges::find(profiles, name, &mig_profile::name);
    return found == profiles.end() ? nullptr : &*found;
}

unsigned most_slices(const mig_profile& profile, slot_mask taken) {
    // The places of a profile are in a grid or single, so the first that fits never costs another one.
    unsigned count = 0;
    for (const auto start : profile.starts) {
        if ((taken & profile.at(start)) != 0) continue;
        taken |= profile.at(start);
        ++count;
    }
    return count;
}

std::optional<unsigned> best_start(const std::vector<mig_profile>& profiles, const mig_profile& wanted,
                                   slot_mask taken) {
    std::optional<unsigned> best;
    std::vector<unsigned> left_at_best;
    for (const auto start : wanted.starts) {
        if ((taken & wanted.at(start)) != 0) continue;
        std::vector<unsigned> left;
        for (const auto& each : profiles) left.push_back(most_slices(each, taken | wanted.at(start)));
        if (best && left < left_at_best) continue;
        best = start;
        left_at_best = std::move(left);
    }
    return best;
}

}  // namespace gpu_scheduler
