// Asks NVML what the GPUs measure.
#pragma once

#include "health/sample.hpp"
#include "nvml/session.hpp"

namespace gpu_labeler {

/// What is measured now, without time, XIDs and users. A failure is a state of the answer, with a message that says
/// what to do; the next call tries again. A GPU that does not answer has the health `failed`; for all others see
/// derive_health.
node_sample read_sample(nvml_session& session);

/// The state that a status of NVML as a whole means.
reader_state state_of(int status);

}  // namespace gpu_labeler
