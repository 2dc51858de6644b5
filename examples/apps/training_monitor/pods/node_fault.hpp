// A fault of a node's GPUs, as the GPU labeler writes it into a condition of the node, and which failures it explains.
// Pure functions.
#pragma once

#include "jobs/job_failure.hpp"
#include "pods/training_node.hpp"
#include "pods/why.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// The condition that examples/apps/gpu_labeler writes with --report-health. False: a GPU is degraded or failed.
inline constexpr std::string_view gpu_condition = "kcontrol.dev/GPUHealthy";

/// As an event about the node, since when it is so; nothing while its GPUs are healthy, or nobody says.
std::optional<object_event> fault_of(const training_node& node);

/// "XID 79 of GPU 3" of such an event's message, the first GPU that it names; empty: it names none.
std::string short_fault(std::string_view message);

/// ", 40 s after XID 79 of GPU 3" where the failure's node had a fault within the ten minutes before it, or in the half
/// minute after, for a node's health is told with a delay; else empty.
std::string fault_clause(const job_failure& failure, const std::vector<object_event>& events);

}  // namespace training_monitor
