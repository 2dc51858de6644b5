// A day of the cluster's GPUs, a point for each minute.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "cluster/board.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpu_scheduler {

/// Some 100 bytes and 8 for each tenant a minute. Reads no clock.
///
/// Thread-safety: shared objects unsafe.
class history {
public:
    static constexpr std::int64_t minutes_kept = 24 * 60;

    /// The GPUs as the board knows them. Of one minute the last look counts.
    void take(kcontrol::wall_time now, board& known);

    /// {"tenants":[name,…],"points":[[unixSeconds,gpus,allocated,unusable,pending,[allocated of each tenant]],…]},
    /// oldest first, from `since` on. Amounts are GPUs; `unusable` is what of the free ones the usual pods can't use.
    std::string json(std::optional<kcontrol::wall_time> since) const;

private:
    struct point {
        std::int64_t minute = 0, capacity = 0, allocated = 0, unusable = 0, pending = 0;
        std::vector<std::int64_t> of_tenants;
    };
    std::size_t place_of(const std::string& tenant);

    std::deque<point> points_;
    std::map<std::string, std::size_t> places_;  // of tenants in of_tenants
    std::vector<std::string> tenants_;
};

}  // namespace gpu_scheduler
