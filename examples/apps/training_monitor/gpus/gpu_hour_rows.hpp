// GPU hours as plain values: what gpu_hours counts and the state file keeps.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

using gpu_time = std::chrono::sys_time<std::chrono::milliseconds>;
using gpu_day = std::chrono::sys_days;  ///< of UTC

struct gpu_hours_key {
    gpu_day day{};
    std::string cluster, name_space, team;
    friend auto operator<=>(const gpu_hours_key&, const gpu_hours_key&) = default;
};

struct gpu_hours_sum {
    std::int64_t gpu_ms = 0;  ///< GPUs times milliseconds
    bool changed = false;     ///< since it was last given to who keeps it
};

struct gpu_hours_row {
    gpu_hours_key key;
    std::int64_t gpu_ms = 0;
    friend bool operator==(const gpu_hours_row&, const gpu_hours_row&) = default;
};

using gpu_watch_key = std::pair<std::string, std::string>;  ///< cluster and kind

/// A kind of a cluster: since when it is counted, and up to when.
struct gpu_watch_row {
    gpu_watch_key key;
    gpu_time since{}, until{};
    friend bool operator==(const gpu_watch_row&, const gpu_watch_row&) = default;
};

/// What is kept over a restart.
struct gpu_hours_state {
    std::vector<gpu_hours_row> rows;
    std::vector<gpu_watch_row> watches;
    gpu_day first_day{};  ///< rows of days before it are forgotten
};

}  // namespace training_monitor
