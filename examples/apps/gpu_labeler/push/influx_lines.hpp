// What the GPUs measure as lines of InfluxDB's line protocol. Pure.
#pragma once

#include "health/sample.hpp"

#include <string>
#include <string_view>

namespace gpu_labeler {

/// A line a GPU: measurement `gpu`; tags host, gpu (its index), uuid and model; as fields what /api/v1/history has
/// under the same names, and health (0 ok, 1 degraded, 2 failed), energyJ, the counters of NVLink, and the last XID.
/// All fields are floats, so that none changes its type. The time is in nanoseconds. What is not told is left out.
std::string influx_lines(const node_sample& sample, std::string_view host);

}  // namespace gpu_labeler
