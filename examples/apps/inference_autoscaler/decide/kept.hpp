// What of a scaler's memory outlives the process: its status has it.
#pragma once

#include "decide/decision.hpp"

namespace inference_autoscaler {

/// The two clocks at one moment.
struct moment {
    time_point now{};
    wall_time wall{};
};

/// The memory of a scaler that is seen for the first time, by what an earlier process left in its status. It knows
/// `replicas`, those of the target now, if they are those of the status or of its last change.
memory restore(const inference_scaler_status& status, const std::vector<scaling_rule>& rules, std::int32_t replicas,
               const moment& at);

/// What a decision leaves in the status besides its own words.
void keep(const memory& from, const std::vector<scaling_rule>& rules, inference_scaler_status& status);

}  // namespace inference_autoscaler
