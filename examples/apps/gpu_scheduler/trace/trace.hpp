// The nodes and pods of a recorded cluster, from files with the columns of the openb trace.
//
// Source: github.com/alibaba/clusterdata, cluster-trace-gpu-v2023.
#pragma once

#include "messages.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A row of the nodes: columns sn, cpu_milli, memory_mib, gpu, model.
struct trace_node {
    std::string name;
    std::int64_t cpu_milli = 0;
    std::int64_t memory_mib = 0;
    int gpus = 0;
    std::string product;
};

/// A row of the pods: columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec; with times also creation_time
/// and deletion_time.
struct trace_pod {
    std::string name;
    std::int64_t cpu_milli = 0;
    std::int64_t memory_mib = 0;
    int gpus = 0;
    int gpu_milli = 0;                  ///< of each GPU; 0 without GPUs
    std::vector<std::string> products;  ///< gpu_spec: "A|B"; empty: any
    std::int64_t created = 0;           ///< seconds
    std::int64_t lifetime = 0;          ///< seconds, from the placement on
};

/// Reads nodes. Errors: FILE:LINE, column and value; also a name that is there twice.
result<std::vector<trace_node>> read_trace_nodes(const std::string& file, std::string_view text);
/// Reads pods, in the order of the file. Errors: FILE:LINE, column and value.
result<std::vector<trace_pod>> read_trace_pods(const std::string& file, std::string_view text, bool with_times);

}  // namespace gpu_scheduler
