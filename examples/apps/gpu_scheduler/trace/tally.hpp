// Adds up what pods hold, without regard to how they were placed: what checks a placement.
#pragma once

#include "placement/room.hpp"
#include "trace/simulated_cluster.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace gpu_scheduler {

/// Sums of what the pods on each node and each GPU hold.
///
/// Thread-safety: distinct objects safe. Object lifetime: the nodes outlive it.
class tally {
public:
    explicit tally(const std::vector<trace_node>& nodes) : nodes_(nodes) {
        for (const auto& node : nodes) {
            gpu_milli_capacity_ += std::int64_t{node.gpus} * whole_gpu;
            cpu_milli_capacity_ += node.cpu_milli;
            held_.push_back({0, 0, std::vector<std::int64_t>(static_cast<std::size_t>(node.gpus))});
        }
    }

    /// Counts a pod. False: the node or one of the GPUs is beyond its capacity now, or a GPU is named twice.
    bool add(const trace_pod& pod, const simulated_place& at) {
        change(pod, at, 1);
        const auto& node = nodes_[at.node];
        const auto& held = held_[at.node];
        bool fits = held.cpu_milli <= node.cpu_milli && held.memory_mib <= node.memory_mib &&
                    at.gpus.size() == static_cast<std::size_t>(pod.gpus) && takes_product(pod.products, node.product);
        for (const auto gpu : at.gpus) fits = fits && held.gpus[gpu] <= whole_gpu;
        return fits;
    }
    /// No longer counts it.
    void remove(const trace_pod& pod, const simulated_place& at) { change(pod, at, -1); }

    std::int64_t gpu_milli() const noexcept { return gpu_milli_; }  ///< of all GPUs together, held
    std::int64_t cpu_milli() const noexcept { return cpu_milli_; }  ///< of all nodes together, held
    std::int64_t gpu_milli_capacity() const noexcept { return gpu_milli_capacity_; }
    std::int64_t cpu_milli_capacity() const noexcept { return cpu_milli_capacity_; }

private:
    struct sums {
        std::int64_t cpu_milli = 0, memory_mib = 0;
        std::vector<std::int64_t> gpus;
    };
    void change(const trace_pod& pod, const simulated_place& at, std::int64_t times) {
        auto& held = held_[at.node];
        held.cpu_milli += times * pod.cpu_milli;
        held.memory_mib += times * pod.memory_mib;
        cpu_milli_ += times * pod.cpu_milli;
        for (const auto gpu : at.gpus) {
            held.gpus[gpu] += times * pod.gpu_milli;
            gpu_milli_ += times * pod.gpu_milli;
        }
    }

    const std::vector<trace_node>& nodes_;
    std::vector<sums> held_;
    std::int64_t gpu_milli_ = 0, cpu_milli_ = 0, gpu_milli_capacity_ = 0, cpu_milli_capacity_ = 0;
};

}  // namespace gpu_scheduler
