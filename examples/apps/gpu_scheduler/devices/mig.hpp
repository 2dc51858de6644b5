// MIG: the slices that a GPU can be divided into, and where they may be.
//
// A place is a range of the GPU's memory slots, of which there are eight (an A30 has four). Source: NVIDIA's MIG user
// guide, "Supported MIG profiles".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A set of memory slots: bit i is slot i.
using slot_mask = std::uint32_t;

/// A kind of slice.
struct mig_profile {
    std::string name;                ///< "1g.10gb", "1g.10gb+me"
    unsigned slots = 1;              ///< of memory
    std::vector<unsigned> starts;    ///< first slots, ascending
    bool has_media_engines = false;  ///< "+me": one slice of a GPU can have them

    slot_mask at(unsigned start) const noexcept { return ((slot_mask{1} << slots) - 1) << start; }
};

/// The profiles of a GPU, by size, the largest one first. Names follow from the size of its memory.
std::vector<mig_profile> mig_profiles(std::string_view product, std::int64_t memory_mib);

/// The profile of that name, or null.
const mig_profile* find_profile(const std::vector<mig_profile>& profiles, std::string_view name);

/// How many slices of that kind fit at most into slots that are free.
unsigned most_slices(const mig_profile& profile, slot_mask taken);

/// Where a slice goes on a GPU of which slots are taken, or none if it fits nowhere. It leaves room for as many slices
/// as possible of the largest profile, among equal places of the next one, and so on; then the last place is taken.
std::optional<unsigned> best_start(const std::vector<mig_profile>& profiles, const mig_profile& wanted,
                                   slot_mask taken);

}  // namespace gpu_scheduler
