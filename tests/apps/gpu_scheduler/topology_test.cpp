// Costs between GPUs, and the best set of them, against brute force on recorded machines.
#include "topology/best_set.hpp"
#include "topology/gpu_links.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

using places = std::vector<std::size_t>;

// A row for each GPU: a number of NVLinks, or a path as `nvidia-smi topo -m` names it.
gpu_links links_of(const std::vector<std::vector<std::string>>& rows) {
    const link_costs costs;
    gpu_links out(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto& text = rows[i][j];
            const bool is_nvlink = text[0] >= '0' && text[0] <= '9';
            out.set(i, j,
                    is_nvlink ? costs.between(static_cast<unsigned>(std::stoi(text)), "SYS") : costs.between(0, text));
        }
    }
    return out;
}

// Eight V100: two sockets, hybrid cube mesh.
gpu_links dgx_1v() {
    return links_of({{"X", "1", "1", "2", "2", "SYS", "SYS", "SYS"},
                     {"1", "X", "2", "1", "SYS", "2", "SYS", "SYS"},
                     {"1", "2", "X", "2", "SYS", "SYS", "1", "SYS"},
                     {"2", "1", "2", "X", "SYS", "SYS", "SYS", "1"},
                     {"2", "SYS", "SYS", "SYS", "X", "1", "1", "2"},
                     {"SYS", "2", "SYS", "SYS", "1", "X", "2", "1"},
                     {"SYS", "SYS", "1", "SYS", "1", "2", "X", "2"},
                     {"SYS", "SYS", "SYS", "1", "2", "1", "2", "X"}});
}
gpu_links nvswitch(unsigned links) {
    return links_of(std::vector(8, std::vector<std::string>(8, std::to_string(links))));
}
gpu_links pcie_only() {
    return links_of({{"X", "PIX", "NODE", "NODE", "SYS", "SYS", "SYS", "SYS"},
                     {"PIX", "X", "NODE", "NODE", "SYS", "SYS", "SYS", "SYS"},
                     {"NODE", "NODE", "X", "PXB", "SYS", "SYS", "SYS", "SYS"},
                     {"NODE", "NODE", "PXB", "X", "SYS", "SYS", "SYS", "SYS"},
                     {"SYS", "SYS", "SYS", "SYS", "X", "PHB", "NODE", "NODE"},
                     {"SYS", "SYS", "SYS", "SYS", "PHB", "X", "NODE", "NODE"},
                     {"SYS", "SYS", "SYS", "SYS", "NODE", "NODE", "X", "PIX"},
                     {"SYS", "SYS", "SYS", "SYS", "NODE", "NODE", "PIX", "X"}});
}
gpu_links random_links(std::mt19937& random) {
    const char* kinds[] = {"1", "2", "4", "PIX", "NODE", "SYS"};
    std::vector rows(8, std::vector<std::string>(8));
    for (auto& row : rows) {
        for (auto& each : row) each = kinds[random() % 6];
    }
    return links_of(rows);
}

// All orders of the GPUs, as rings.
cost_time ring_by_force(const gpu_links& links, places gpus) {
    if (gpus.size() < 2) return cost_time{0};
    auto least = cost_time::max();
    do {
        auto dearest = links.cost(gpus.back(), gpus.front());
        for (std::size_t i = 1; i < gpus.size(); ++i) dearest = std::max(dearest, links.cost(gpus[i - 1], gpus[i]));
        least = std::min(least, dearest);
    } while (std::next_permutation(gpus.begin() + 1, gpus.end()));
    return least;
}

// The first with each of the others, or, of an odd number, alone.
cost_time pairing_by_force(const gpu_links& links, const places& gpus) {
    if (gpus.size() < 2) return cost_time{0};
    auto least = cost_time::max();
    const places others(gpus.begin() + 1, gpus.end());
    if (gpus.size() % 2 == 1) least = pairing_by_force(links, others);
    for (std::size_t i = 0; i < others.size(); ++i) {
        auto left = others;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        least = std::min(least, links.cost(gpus[0], others[i]) + pairing_by_force(links, left));
    }
    return least;
}

places set_of(unsigned mask) {
    places out;
    for (std::size_t i = 0; i < 8; ++i) {
        if ((mask >> i & 1U) != 0) out.push_back(i);
    }
    return out;
}

places best_by_force(const gpu_links& links, const places& free, std::size_t count) {
    std::optional<std::pair<cost_time, places>> best;
    for (unsigned mask = 0; mask < 256; ++mask) {
        const auto gpus = set_of(mask);
        if (gpus.size() != count || !std::ranges::includes(free, gpus)) continue;
        places others;
        std::ranges::set_difference(free, gpus, std::back_inserter(others));
        const auto cost = count == 1 ? pairing_by_force(links, others) : ring_by_force(links, gpus);
        if (!best || std::pair(cost, gpus) < *best) best = {cost, gpus};
    }
    return best->second;
}

std::vector<places> given(const gpu_links& links, std::size_t count) {
    std::vector<places> out;
    places free = set_of(0xFF);
    while (free.size() >= count) {
        out.push_back(best_set(links, free, count).gpus);
        std::erase_if(free, [&](std::size_t gpu) { return std::ranges::count(out.back(), gpu) > 0; });
    }
    return out;
}

}  // namespace

TEST_CASE("gpu_links: costs of a message of 100 MB") {
    const link_costs costs;
    const auto ms = [](double n) {
        return std::chrono::duration_cast<cost_time>(std::chrono::duration<double, std::milli>(n));
    };
    CHECK(costs.between(1, "SYS") == ms(0.2));
    CHECK(costs.between(4, "SYS") == ms(0.05));
    for (const auto* near : {"INT", "PIX", "PXB", "PHB"}) CHECK(costs.between(0, near) == ms(1.5));
    CHECK(costs.between(0, "NODE") == ms(2));
    CHECK(costs.between(0, "SYS") == ms(3));
    CHECK(costs.between(0, "") == ms(3));
    link_costs far;
    far.socket = {0.1, 1.5};
    far.message_mb = 10;
    CHECK(far.between(0, "SYS") == ms(2.5));
}

TEST_CASE("best_set: what a DGX-1V gives") {
    const auto links = dgx_1v();
    CHECK(given(links, 2) == std::vector<places>{{0, 3}, {1, 2}, {4, 7}, {5, 6}});
    CHECK(given(links, 4) == std::vector<places>{{0, 1, 2, 3}, {4, 5, 6, 7}});
    CHECK(given(links, 8) == std::vector<places>{{0, 1, 2, 3, 4, 5, 6, 7}});
    CHECK(best_set(links, {0, 1, 2, 3, 4, 5, 6, 7}, 1).gpus == places{0});
}

TEST_CASE("best_set: one GPU leaves the others their links") {
    // Four RTX 8000.
    const auto links = links_of(
        {{"X", "NODE", "SYS", "2"}, {"NODE", "X", "2", "SYS"}, {"SYS", "2", "X", "NODE"}, {"2", "SYS", "NODE", "X"}});
    CHECK(best_set(links, {1, 2, 3}, 1).gpus == places{3});
    CHECK(best_set(links, {0, 1, 2, 3}, 1).gpus == places{0});
    CHECK(best_set(links, {0, 1, 2, 3}, 2).gpus == places{0, 3});
}

TEST_CASE("best_set: equal to brute force for all free sets and all counts") {
    std::mt19937 random(1);
    std::vector<gpu_links> machines = {dgx_1v(),    nvswitch(12),         nvswitch(18),
                                       pcie_only(), random_links(random), random_links(random)};
    for (std::size_t machine = 0; machine < machines.size(); ++machine) {
        const auto& links = machines[machine];
        for (unsigned mask = 1; mask < 256; ++mask) {
            const auto free = set_of(mask);
            CAPTURE(machine);
            CAPTURE(mask);
            REQUIRE(pairing_cost(links, free) == pairing_by_force(links, free));
            REQUIRE(ring_cost(links, free) == ring_by_force(links, free));
            for (std::size_t count = 1; count <= free.size(); ++count) {
                CAPTURE(count);
                REQUIRE(best_set(links, free, count).gpus == best_by_force(links, free, count));
            }
        }
    }
}

TEST_CASE("best_set: of sixteen GPUs, those of one NVLink domain") {
    const link_costs costs;
    gpu_links links(16);
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t j = 0; j < i; ++j) links.set(i, j, costs.between(i % 2 == j % 2 ? 6 : 0, "SYS"));
    }
    places free;
    for (std::size_t i = 1; i < 16; ++i) free.push_back(i);
    CHECK(best_set(links, free, 4).gpus == places{1, 3, 5, 7});
    CHECK(best_set(links, free, 8).gpus == places{1, 3, 5, 7, 9, 11, 13, 15});
    CHECK(best_set(links, free, 1).gpus.size() == 1);
    CHECK(best_set(links, free, 9).cost == costs.between(0, "SYS"));
}

TEST_CASE("topology: the largest group that reaches each other by cheap links") {
    const std::chrono::nanoseconds near(1), far(5);
    gpu_links links(6);
    for (std::size_t a = 0; a < 6; ++a) {
        for (std::size_t b = a + 1; b < 6; ++b) links.set(a, b, far);
    }
    CHECK(links.least() == far);
    for (const auto& [a, b] : {std::pair(0U, 1U), std::pair(1U, 2U), std::pair(4U, 5U)}) links.set(a, b, near);
    CHECK(links.least() == near);
    struct row {
        std::vector<std::size_t> gpus;
        std::size_t largest;
    };
    for (const auto& row :
         {row{{}, 0}, row{{3}, 1}, row{{0, 1, 2, 3, 4, 5}, 3}, row{{0, 2}, 1}, row{{0, 2, 4, 5}, 2}}) {
        CHECK(largest_group(links, row.gpus, far) == row.largest);
    }
}
