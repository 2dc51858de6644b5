// A cluster of recorded nodes in memory, on which pods are placed one by one.
#pragma once

#include "placement/placer.hpp"
#include "trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gpu_scheduler {

/// Where a pod is.
struct simulated_place {
    std::size_t node = 0;
    gpu_places gpus;
};

/// Nodes, what is free on them, and the best choice of each kind of pod on each node as long as the node stays as it
/// is: most decisions change one node.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class simulated_cluster {
public:
    /// Empty nodes. Object lifetime: `nodes` outlives it.
    simulated_cluster(const std::vector<trace_node>& nodes, placement_policy policy, std::vector<usual_pod> usual);

    /// Pods that differ in nothing but name and times are of one kind; it has a number from 0.
    std::size_t kind_of(const trace_pod& pod);
    /// Whether such a pod fits on that node now.
    bool fits(std::size_t kind, std::size_t node);
    /// Places such a pod on the best node, or nothing: it fits nowhere. Of equal choices the first node has it.
    std::optional<simulated_place> place(std::size_t kind);
    /// Takes such a pod away from where place() put it.
    void release(std::size_t kind, const simulated_place& from);

    /// The free parts of GPUs, and what of them the usual pods can't use, in thousandths.
    std::int64_t free_gpu_milli() const;
    double fragmented_gpu_milli();

private:
    struct node_state {
        room free;
        std::int64_t memory_mib = 0;
        std::uint64_t version = 1;
    };
    struct cached_choice {
        std::uint64_t version = 0;  // of the node; 0: not asked yet
        std::optional<choice> best;
    };
    struct pod_kind {
        demand what;
        std::int64_t memory_mib = 0;
        std::vector<std::string> products;
        friend auto operator<=>(const pod_kind&, const pod_kind&) = default;
    };
    const std::optional<choice>& best_on(std::size_t kind, std::size_t node);

    const std::vector<trace_node>& nodes_;
    placer placer_;
    std::vector<node_state> states_;
    std::map<pod_kind, std::size_t> kinds_;
    std::vector<const pod_kind*> kind_;               // by number
    std::vector<std::vector<cached_choice>> cached_;  // by kind and node
};

}  // namespace gpu_scheduler
