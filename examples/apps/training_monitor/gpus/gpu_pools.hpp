// The GPUs of a cluster by product: how many there are, are asked for and are free, and what job would fit. Pure
// functions.
#pragma once

#include "gpus/gpu_node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// A node that has GPUs.
struct gpu_row {
    std::string name;
    std::string product;  ///< as GPU Feature Discovery labels it; empty: it does not
    std::int64_t gpus = 0;
    bool usable = false;  ///< ready, and takes pods
};

/// Nothing: it has no GPUs.
std::optional<gpu_row> row_of(const gpu_node& node);

/// What a pod asks for, and where; no node: it waits for one.
struct gpu_use {
    std::string node;
    std::int64_t gpus = 0;
};

/// So many pods with so many GPUs each would find room.
struct gpu_fit {
    std::int64_t gpus_per_pod = 0, pods = 0;

    friend bool operator==(const gpu_fit&, const gpu_fit&) = default;
};

struct gpu_pool {
    std::string product;
    std::int64_t nodes = 0, usable_nodes = 0;
    std::int64_t allocatable = 0;  ///< of all of its nodes
    std::int64_t asked = 0;        ///< by pods on its nodes
    std::int64_t free = 0;         ///< on nodes that are usable
    std::vector<gpu_fit> fits;     ///< by GPUs a pod, the largest first: whole nodes, then powers of two that are less
};

struct gpu_sum {
    std::vector<gpu_pool> pools;  ///< by product
    std::int64_t waiting = 0;     ///< what pods without a node ask for
};

gpu_sum sum_up(const std::vector<gpu_row>& nodes, const std::vector<gpu_use>& pods);

}  // namespace training_monitor
