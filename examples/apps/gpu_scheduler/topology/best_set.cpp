#include "topology/best_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace gpu_scheduler {
namespace {

constexpr cost_time beyond{std::numeric_limits<std::int64_t>::max()};

// Goes all ways through the GPUs that are not visited, and keeps the least of their dearest edges.
class ring_search {
public:
    ring_search(const gpu_links& links, const std::vector<std::size_t>& gpus) : links_(links), gpus_(gpus) {}

    cost_time least() {
        visit(0, 1, cost_time{0});
        return best_;
    }

private:
    void visit(std::size_t at, std::uint32_t visited, cost_time dearest) {
        if (dearest >= best_) return;
        if (visited + 1 == std::uint32_t{1} << gpus_.size()) {
            best_ = std::min(best_, std::max(dearest, edge(at, 0)));
            return;
        }
        for (std::size_t next = 1; next < gpus_.size(); ++next) {
            const auto bit = std::uint32_t{1} << next;
            if ((visited & bit) == 0) visit(next, visited | bit, std::max(dearest, edge(at, next)));
        }
    }
    cost_time edge(std::size_t a, std::size_t b) const { return links_.cost(gpus_[a], gpus_[b]); }

    const gpu_links& links_;
    const std::vector<std::size_t>& gpus_;
    cost_time best_ = beyond;
};

cost_time exact_pairing(const gpu_links& links, const std::vector<std::size_t>& gpus) {
    // least[mask]: the best pairing of these; with an odd number one stays alone.
    std::array<cost_time, std::size_t{1} << exact_gpus> least{};
    for (std::size_t mask = 1; mask < std::size_t{1} << gpus.size(); ++mask) {
        const auto first = static_cast<std::size_t>(std::countr_zero(mask));
        const std::size_t others = mask & (mask - 1);
        cost_time best = std::popcount(mask) % 2 == 1 ? least[others] : beyond;
        for (std::size_t second = first + 1; second < gpus.size(); ++second) {
            const std::size_t bit = std::size_t{1} << second;
            if ((others & bit) == 0) continue;
            best = std::min(best, links.cost(gpus[first], gpus[second]) + least[others & ~bit]);
        }
        least[mask] = best;
    }
    return least[(std::size_t{1} << gpus.size()) - 1];
}

std::vector<std::size_t> without(std::vector<std::size_t> gpus, std::size_t place) {
    gpus.erase(gpus.begin() + static_cast<std::ptrdiff_t>(place));
    return gpus;
}

void keep_better(std::optional<gpu_set>& best, gpu_set next) {
    if (!best || next.cost < best->cost || (next.cost == best->cost && next.gpus < best->gpus)) best = std::move(next);
}

// From one GPU on always the one that is nearest to those that are chosen.
std::vector<std::size_t> grown_from(const gpu_links& links, const std::vector<std::size_t>& free, std::size_t start,
                                    std::size_t count) {
    std::vector<std::size_t> chosen{free[start]}, left = without(free, start);
    while (chosen.size() < count) {
        const auto farthest = [&](std::size_t gpu) {
            cost_time most{0};
            for (const auto each : chosen) most = std::max(most, links.cost(gpu, each));
            return most;
        };
        const auto next = std::ranges::min_element(left, {}, farthest);
        chosen.push_back(*next);
        left.erase(next);
    }
    std::ranges::sort(chosen);
    return chosen;
}

}  // namespace

cost_time ring_cost(const gpu_links& links, const std::vector<std::size_t>& gpus) {
    if (gpus.size() < 2) return cost_time{0};
    if (gpus.size() <= exact_gpus) return ring_search(links, gpus).least();
    cost_time dearest = links.cost(gpus.back(), gpus.front());
    for (std::size_t i = 1; i < gpus.size(); ++i) dearest = std::max(dearest, links.cost(gpus[i - 1], gpus[i]));
    return dearest;
}

cost_time pairing_cost(const gpu_links& links, const std::vector<std::size_t>& gpus) {
    if (gpus.size() <= exact_gpus) return exact_pairing(links, gpus);
    cost_time sum{0};
    for (auto left = gpus; left.size() > 1;) {
        std::size_t a = 0, b = 1;
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = i + 1; j < left.size(); ++j) {
                if (links.cost(left[i], left[j]) < links.cost(left[a], left[b])) a = i, b = j;
            }
        }
        sum += links.cost(left[a], left[b]);
        left = without(without(std::move(left), b), a);
    }
    return sum;
}

gpu_set best_set(const gpu_links& links, const std::vector<std::size_t>& free, std::size_t count) {
    std::optional<gpu_set> best;
    if (count == 1) {
        for (std::size_t i = 0; i < free.size(); ++i) {
            keep_better(best, {{free[i]}, pairing_cost(links, without(free, i))});
        }
        best->cost = cost_time{0};
        return *best;
    }
    if (free.size() > exact_gpus) {
        for (std::size_t i = 0; i < free.size(); ++i) {
            auto gpus = grown_from(links, free, i, count);
            const auto cost = ring_cost(links, gpus);
            keep_better(best, {std::move(gpus), cost});
        }
        return *best;
    }
    for (std::size_t mask = 0; mask < std::size_t{1} << free.size(); ++mask) {
        if (static_cast<std::size_t>(std::popcount(mask)) != count) continue;
        gpu_set next;
        for (std::size_t i = 0; i < free.size(); ++i) {
            if ((mask >> i & 1U) != 0) next.gpus.push_back(free[i]);
        }
        next.cost = ring_cost(links, next.gpus);
        keep_better(best, std::move(next));
    }
    return *best;
}

}  // namespace gpu_scheduler
