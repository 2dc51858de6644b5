// What it costs to send a message between the GPUs of a node.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

using cost_time = std::chrono::nanoseconds;

/// A message of m MB takes per_mb · m + fixed.
struct link_cost {
    double per_mb = 0;  ///< milliseconds
    double fixed = 0;   ///< milliseconds
};

/// `costs:` and `messageMB:` of the configuration.
struct link_costs {
    link_cost nvlink{0.002, 0};  ///< of one link; n links take the n-th part of the time per MB
    link_cost pcie{0.015, 0};    ///< at most one host bridge between them: PIX, PXB, PHB
    link_cost numa{0.02, 0};     ///< within a NUMA node: NODE
    link_cost socket{0.03, 0};   ///< between NUMA nodes: SYS, and whatever is not known
    link_cost rack{0.08, 1.2};   ///< between nodes of one domain of topologyKeys
    link_cost far{0.1, 1.5};     ///< between domains
    double message_mb = 100;

    /// The time for a message over so many links.
    cost_time over(const link_cost& link, unsigned lanes = 1) const;
    /// The time for a message between two GPUs: over NVLinks if there are any, else by the path of `nvidia-smi topo
    /// -m`.
    cost_time between(unsigned nvlinks, std::string_view pcie_path) const;
};

/// The costs between all GPUs of a node.
///
/// Thread-safety: shared objects safe for const access.
class gpu_links {
public:
    /// So many GPUs, with nothing between them.
    explicit gpu_links(std::size_t gpus) : size_(gpus), costs_(gpus * gpus) {}

    std::size_t size() const noexcept { return size_; }
    cost_time cost(std::size_t a, std::size_t b) const { return costs_[a * size_ + b]; }
    void set(std::size_t a, std::size_t b, cost_time cost) { costs_[a * size_ + b] = costs_[b * size_ + a] = cost; }
    cost_time least() const;  ///< between any two GPUs; of fewer than two the most there is

    friend bool operator==(const gpu_links&, const gpu_links&) = default;

private:
    std::size_t size_;
    std::vector<cost_time> costs_;
};

/// How many of these GPUs reach each other by links that cost less than `bound`: of several groups the largest.
std::size_t largest_group(const gpu_links& links, std::vector<std::size_t> gpus, cost_time bound);

}  // namespace gpu_scheduler
