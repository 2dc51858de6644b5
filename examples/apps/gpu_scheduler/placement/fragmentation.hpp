// Fragmentation of a node: how much of its free GPUs the usual pods can't use.
//
// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent",
// USENIX ATC '23. The charge for CPU without GPUs is our addition.
#pragma once

#include "placement/room.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A pod of a kind that comes often. `weight` is how often, in any unit.
struct usual_pod {
    demand what;
    std::vector<std::string> products;  ///< on which it may be; empty: on all
    double weight = 1;
};

/// The usual pods, as nodes with one GPU product see them.
///
/// Thread-safety: shared objects safe for const access.
class fragmentation {
public:
    /// Pods without GPUs count as well: they leave GPUs of a node without CPU.
    fragmentation(const std::vector<usual_pod>& pods, std::string_view product);

    /// The free parts of GPUs that a usual pod can't use, on average, in thousandths of a GPU. A pod that can't be on
    /// the node at all can use none.
    double of(const room& free) const;
    /// How much the two grow when a pod comes: of(), and a charge for CPU beyond what the usual pods need beside the
    /// free GPUs. In whole thousandths of a GPU, so that differences without a meaning decide nothing.
    std::int64_t growth(const room& before, const room& after) const;

private:
    double stranded_cpu(const room& free) const;

    struct task {
        std::int64_t cpu_milli;
        int gpus;
        int milli;
        double weight;
    };
    std::vector<task> tasks_;
    double without_ = 0;      // the weight of the pods that no node of this product takes
    double cpu_per_gpu_ = 0;  // milli-CPU that the usual pods need for each thousandth of a GPU
};

}  // namespace gpu_scheduler
