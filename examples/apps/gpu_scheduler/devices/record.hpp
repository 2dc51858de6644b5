// The record of what a pod holds: its annotation, written in its binding.
#pragma once

#include "messages.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

inline constexpr std::string_view record_annotation = "scheduling.kcontrol.dev/allocation";

/// What a pod holds of a GPU: all of it, a share, or a slice.
struct device_hold {
    std::string uuid;
    std::int64_t memory_mib = 0;  ///< of a share; 0: no share
    int cores = 0;                ///< of a share: per cent; 0: no limit
    std::string profile;          ///< of a slice; empty: no slice
    unsigned start = 0;           ///< of a slice: its first memory slot

    bool is_share() const noexcept { return memory_mib > 0; }
    bool is_slice() const noexcept { return !profile.empty(); }
    bool is_whole() const noexcept { return !is_share() && !is_slice(); }

    friend bool operator==(const device_hold&, const device_hold&) = default;
};

/// The value of the annotation: what the containers hold, in their order.
std::string write_record(const std::vector<device_hold>& devices);

/// Reads it. Errors: the annotation, the field, its value and what is expected, also for a record of another version
/// and for fields that are not ours.
result<std::vector<device_hold>> read_record(std::string_view text);

}  // namespace gpu_scheduler
