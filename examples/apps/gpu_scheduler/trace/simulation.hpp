// Runs a recorded cluster, and says how well it was filled.
#pragma once

#include "placement/placer.hpp"
#include "trace/simulated_cluster.hpp"
#include "trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// What a simulation does.
struct simulation_options {
    placement_policy policy = placement_policy::fragmentation;
    /// Pods arrive and leave by their times. Else each is placed once, in their order, and stays.
    bool departures = false;
};

/// What came out. With departures, allocations are means over the time from the first arrival to the last one.
struct simulation_report {
    std::size_t pods = 0;
    std::size_t placed = 0;
    std::int64_t gpu_milli_capacity = 0;
    std::int64_t gpu_milli_allocated = 0;
    double allocation_ratio = 0;
    double cpu_allocation_ratio = 0;
    double fragmentation_ratio = 0;  ///< of the free GPUs at the end, what the usual pods can't use
    std::size_t overcommitted = 0;   ///< placements after which a node or a GPU was beyond its capacity
    double mean_wait_seconds = 0;    ///< with departures: of the placed pods
    std::int64_t p99_wait_seconds = 0;
    std::vector<std::optional<simulated_place>> places;  ///< by pod
};

/// The pods of a trace as usual pods, weighted by how often each kind comes.
std::vector<usual_pod> usual_pods_of(const std::vector<trace_pod>& pods);

/// Runs it: the usual pods are those of the trace. The same input has the same result.
simulation_report simulate(const std::vector<trace_node>& nodes, const std::vector<trace_pod>& pods,
                           const simulation_options& options);

/// The report as one line of JSON.
std::string to_json(const simulation_report& report, const simulation_options& options, double seconds);
/// The placed pods as rows `name,node,gpus`, below a line with these names.
std::string placements_csv(const simulation_report& report, const std::vector<trace_node>& nodes,
                           const std::vector<trace_pod>& pods);

}  // namespace gpu_scheduler
