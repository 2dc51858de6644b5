// Which GPUs of a node talk to each other fastest.
#pragma once

#include "topology/gpu_links.hpp"

#include <cstddef>
#include <vector>

namespace gpu_scheduler {

/// Up to so many free GPUs the search is exact; beyond, it grows sets from each GPU.
inline constexpr std::size_t exact_gpus = 8;

/// GPUs, ascending, and what they cost together.
struct gpu_set {
    std::vector<std::size_t> gpus;
    cost_time cost{};
};

/// The dearest edge of the best ring through these GPUs. Of two GPUs their edge, of one nothing. More than exact_gpus
/// GPUs are taken in their order.
cost_time ring_cost(const gpu_links& links, const std::vector<std::size_t>& gpus);

/// The least sum of edges when these GPUs form as many pairs as possible. Of more than exact_gpus GPUs, the sum that
/// pairs of the cheapest edges have.
cost_time pairing_cost(const gpu_links& links, const std::vector<std::size_t>& gpus);

/// The `count` GPUs of `free` (ascending, at least that many) with the least ring_cost(); of equal sets the one with
/// the lowest indices. One GPU is the one without which the others have the least pairing_cost().
gpu_set best_set(const gpu_links& links, const std::vector<std::size_t>& free, std::size_t count);

}  // namespace gpu_scheduler
