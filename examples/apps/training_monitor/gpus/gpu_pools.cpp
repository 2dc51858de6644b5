#include "gpus/gpu_pools.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace training_monitor {
namespace {

// Source: https://github.com/NVIDIA/k8s-device-plugin, GPU Feature Discovery's labels.
constexpr const char* product_label = "nvidia.com/gpu.product";

// A million GPUs on a node are somebody's mistake; sums stay sums.
constexpr std::int64_t most_of_node = 1'000'000;

std::vector<gpu_fit> fits_of(const std::vector<std::int64_t>& free, std::int64_t largest_node) {
    std::set<std::int64_t, std::greater<>> sizes;
    if (largest_node > 0) sizes.insert(largest_node);
    for (std::int64_t size = 1; size < largest_node; size *= 2) sizes.insert(size);
    std::vector<gpu_fit> out;
    for (const auto size : sizes) {
        std::int64_t pods = 0;
        for (const auto one : free) pods += one / size;
        if (pods > 0) out.push_back({size, pods});
    }
    return out;
}

}  // namespace

std::optional<gpu_row> row_of(const gpu_node& node) {
    const auto& amount = node.status.allocatable.gpu;
    if (!amount || amount->count <= 0) return std::nullopt;
    gpu_row out;
    out.name = node.metadata.name;
    out.gpus = std::min(amount->count, most_of_node);
    const auto product = node.metadata.labels.find(product_label);
    if (product != node.metadata.labels.end()) out.product = std::string(std::string_view(product->second));
    const bool ready = std::any_of(node.status.conditions.begin(), node.status.conditions.end(),
                                   [](const node_condition& c) { return c.type == "Ready" && c.status == "True"; });
    out.usable = ready && !node.spec.unschedulable;
    return out;
}

gpu_sum sum_up(const std::vector<gpu_row>& nodes, const std::vector<gpu_use>& pods) {
    gpu_sum out;
    std::map<std::string_view, std::int64_t> asked;
    for (const auto& pod : pods) {
        if (pod.node.empty()) {
            out.waiting += pod.gpus;
        } else {
            asked[pod.node] += pod.gpus;
        }
    }
    struct working {
        gpu_pool pool;
        std::vector<std::int64_t> free;
        std::int64_t largest = 0;
    };
    std::map<std::string_view, working> products;
    for (const auto& node : nodes) {
        working& w = products[node.product];
        const auto used = asked.find(node.name);
        const std::int64_t taken = used == asked.end() ? 0 : used->second;
        ++w.pool.nodes;
        w.pool.allocatable += node.gpus;
        w.pool.asked += taken;
        w.largest = std::max(w.largest, node.gpus);
        if (!node.usable) continue;
        ++w.pool.usable_nodes;
        w.free.push_back(std::max<std::int64_t>(0, node.gpus - taken));
        w.pool.free += w.free.back();
    }
    for (auto& [product, w] : products) {
        w.pool.product = std::string(product);
        w.pool.fits = fits_of(w.free, w.largest);
        out.pools.push_back(std::move(w.pool));
    }
    return out;
}

}  // namespace training_monitor
