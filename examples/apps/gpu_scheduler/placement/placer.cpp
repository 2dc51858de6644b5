#include "placement/placer.hpp"

#include "topology/best_set.hpp"

#include <algorithm>
#include <utility>

namespace gpu_scheduler {
namespace {

// GPUs with enough room, those with the least of it first, or the most; of equal ones the lower index.
gpu_places able_gpus(const room& free, int milli, bool fullest_first) {
    gpu_places out;
    for (std::size_t i = 0; i < free.gpus.size(); ++i) {
        if (free.gpus[i] >= milli) out.push_back(i);
    }
    std::ranges::stable_sort(out, {}, [&](std::size_t i) { return fullest_first ? free.gpus[i] : -free.gpus[i]; });
    return out;
}

}  // namespace

result<placement_policy> parse_placement(std::string_view word) {
    if (word == "fragmentation") return placement_policy::fragmentation;
    if (word == "best-fit") return placement_policy::best_fit;
    if (word == "spread") return placement_policy::spread;
    if (word == "topology") return placement_policy::topology;
    return bad_value(in_quotes(word) + " is no placement; use fragmentation, best-fit, spread or topology");
}

const fragmentation& placer::usual_on(std::string_view product) {
    auto found = by_product_.find(product);
    if (found == by_product_.end()) found = by_product_.emplace(product, fragmentation(usual_, product)).first;
    return found->second;
}

std::optional<choice> placer::best_on(const room& free, const demand& what, std::string_view product,
                                      const gpu_links* links) {
    if (free.cpu_milli < what.cpu_milli) return {};
    if (what.gpus == 0) return judge(free, what, product, {}, {});
    gpu_places able = able_gpus(free, what.milli, policy_ != placement_policy::spread);
    const auto count = static_cast<std::size_t>(what.gpus);
    if (able.size() < count) return {};
    if (links != nullptr && what.milli == whole_gpu) {
        std::ranges::sort(able);
        auto chosen = best_set(*links, able, count);
        return judge(free, what, product, std::move(chosen.gpus), chosen.cost);
    }
    const auto apart = count > 1 ? unknown_links_ : cost_time{0};
    if (count > 1) {
        able.resize(count);
        std::ranges::sort(able);
        return judge(free, what, product, std::move(able), apart);
    }
    std::optional<choice> best;
    int last = -1;
    for (const auto place : able) {
        if (free.gpus[place] == std::exchange(last, free.gpus[place])) continue;  // as good as one of a lower index
        auto next = judge(free, what, product, {place}, apart);
        if (!best || next < *best) best = std::move(next);
    }
    return best;
}

choice placer::judge(const room& free, const demand& what, std::string_view product, gpu_places gpus, cost_time apart) {
    const room after = room_after(free, what, gpus);
    std::int64_t left = 0;  // on the GPUs that it takes
    for (const auto place : gpus) left += after.gpus[place];
    choice out;
    switch (policy_) {
    case placement_policy::fragmentation:
        out.cost = usual_on(product).growth(free, after);
        out.tie = gpus.empty() ? after.cpu_milli : left;
        break;
    case placement_policy::best_fit:
        out.cost = free_milli(after);
        out.tie = left;
        break;
    case placement_policy::spread:
        out.cost = -free_milli(after);
        out.tie = gpus.empty() ? -after.cpu_milli : -left;
        break;
    case placement_policy::topology:
        out.cost = apart.count();
        out.tie = free_milli(after) * (whole_gpu + 1) + left;
        break;
    }
    out.gpus = std::move(gpus);
    return out;
}

}  // namespace gpu_scheduler
