// Where pods go on a node, and which node is better, by each policy.
#include "placement/fragmentation.hpp"
#include "placement/placer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

room node(std::int64_t cpu, std::vector<int> gpus) { return {cpu, std::move(gpus)}; }
demand share(int milli, std::int64_t cpu = 0) { return {cpu, 1, milli}; }
demand whole(int gpus, std::int64_t cpu = 0) { return {cpu, gpus, whole_gpu}; }

// Half of the pods take one GPU and 8 cores, half 40 % of one and 2 cores.
std::vector<usual_pod> halves() { return {{whole(1, 8000), {}, 1}, {share(400, 2000), {}, 1}}; }

gpu_places places_on(placement_policy policy, const room& free, const demand& what) {
    placer by(policy, halves());
    const auto best = by.best_on(free, what, "");
    return best ? best->gpus : gpu_places{99};
}

}  // namespace

TEST_CASE("fragmentation: what the usual pods can't use") {
    const fragmentation f(halves(), "");
    struct {
        room free;
        double expected;
        const char* why;
    } rows[] = {
        {node(96000, {1000, 1000}), 0, "all of it can be used"},
        {node(96000, {1000, 600}), 300, "600 are lost for whole GPUs"},
        {node(96000, {1000, 300}), 300, "300 are lost for both"},
        {node(96000, {600, 600}), 600, "no whole GPU: all is lost for those that need one"},
        {node(4000, {1000}), 500, "too little CPU for a whole GPU"},
        {node(0, {1000}), 1000, "no CPU"},
        {node(96000, {}), 0, "no GPU"},
        {node(96000, {0, 0}), 0, "no free GPU"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.why);
        CHECK(f.of(row.free) == doctest::Approx(row.expected));
    }
}

TEST_CASE("fragmentation: pods without GPUs, and pods of other products") {
    // A quarter needs no GPU, a quarter takes another product.
    const std::vector<usual_pod> pods = {
        {whole(1), {}, 2}, {{1000, 0, whole_gpu}, {}, 1}, {whole(1), {"T4", "A10"}, 1}};
    CHECK(fragmentation(pods, "A100").of(node(0, {1000})) == doctest::Approx(250));
    CHECK(fragmentation(pods, "A10").of(node(0, {1000})) == doctest::Approx(0));
    CHECK(fragmentation({}, "").of(node(0, {500})) == doctest::Approx(0));
}

TEST_CASE("fragmentation: growth is in whole thousandths, and charges CPU without GPUs") {
    const fragmentation f(halves(), "");
    CHECK(f.growth(node(10000, {1000}), node(10000, {600})) > 200);
    CHECK(f.growth(node(10000, {1000}), node(10000, {1000})) == 0);
    // The usual pods need 7.14 milli-CPU for a thousandth of a GPU, so 20,000 are left over beside no GPU at all.
    CHECK(f.growth(node(20000, {1000}), node(20000, {0})) == 214);
    CHECK(f.growth(node(20000, {0}), node(10000, {0})) == -300);
}

TEST_CASE("placer: which GPUs of a node") {
    using enum placement_policy;
    const auto free = node(96000, {1000, 500, 400, 1000, 700});
    CHECK(places_on(best_fit, free, share(400)) == gpu_places{2});
    CHECK(places_on(best_fit, free, share(450)) == gpu_places{1});
    CHECK(places_on(best_fit, free, share(800)) == gpu_places{0});
    CHECK(places_on(fragmentation, free, share(400)) == gpu_places{2});
    CHECK(places_on(topology, free, share(400)) == gpu_places{2});
    CHECK(places_on(spread, free, share(400)) == gpu_places{0});
    for (const auto policy : {fragmentation, best_fit, spread, topology}) {
        CHECK(places_on(policy, free, whole(2)) == gpu_places{0, 3});
        CHECK(places_on(policy, free, whole(1)) == gpu_places{0});
        CHECK(places_on(policy, free, whole(3)) == gpu_places{99});
        CHECK(places_on(policy, free, whole(1, 96001)) == gpu_places{99});
        CHECK(places_on(policy, free, {96000, 0, whole_gpu}) == gpu_places{});
    }
    CHECK(places_on(best_fit, free, {0, 2, 400}) == gpu_places{1, 2});
    CHECK(places_on(spread, free, {0, 2, 400}) == gpu_places{0, 3});
}

TEST_CASE("placer: which node") {
    using enum placement_policy;
    const auto better = [](placement_policy policy, const room& a, const room& b, const demand& what) {
        placer by(policy, halves());
        return *by.best_on(a, what, "") < *by.best_on(b, what, "");
    };
    const auto full = node(96000, {0, 1000}), empty = node(96000, {1000, 1000});
    CHECK(better(best_fit, full, empty, whole(1)));
    CHECK(better(spread, empty, full, whole(1)));
    CHECK(better(topology, full, empty, whole(1)));
    // A share goes where a GPU is broken already, although more is free there.
    CHECK(better(fragmentation, node(96000, {900, 900, 900}), full, share(400)));
    // CPU beside no GPU is for pods without GPUs.
    CHECK(better(fragmentation, node(10000, {0}), node(10000, {1000}), {8000, 0, whole_gpu}));
}

TEST_CASE("placer: connected GPUs") {
    const link_costs costs;
    gpu_links links(4);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < i; ++j) links.set(i, j, costs.between(i + j == 3 ? 2 : 0, "SYS"));
    }
    for (const auto policy : {placement_policy::fragmentation, placement_policy::topology}) {
        placer by(policy, halves());
        CHECK(by.best_on(node(1000, {1000, 1000, 1000, 1000}), whole(2), "", &links)->gpus == gpu_places{0, 3});
        CHECK(by.best_on(node(1000, {0, 1000, 1000, 1000}), whole(2), "", &links)->gpus == gpu_places{1, 2});
        CHECK(by.best_on(node(1000, {0, 1000, 1000, 1000}), whole(1), "", &links)->gpus == gpu_places{3});
    }
    // Between nodes: the links first, then what is left.
    placer by(placement_policy::topology, {});
    const auto near = by.best_on(node(1000, {1000, 1000, 1000, 1000}), whole(2), "", &links);
    const auto far = by.best_on(node(1000, {1000, 1000, 0, 0}), whole(2), "", &links);
    const auto unknown = by.best_on(node(1000, {1000, 1000}), whole(2), "");
    CHECK(*near < *far);
    CHECK(far->cost == unknown->cost);
    CHECK(*unknown <= *far);
    CHECK(*by.best_on(node(1000, {1000}), whole(1), "") < *by.best_on(node(1000, {1000, 1000}), whole(1), "", &links));
}

TEST_CASE("placer: a choice always fits, and none means that none does") {
    std::mt19937 random(7);
    const auto one_of = [&](auto... values) {
        const int list[] = {values...};
        return list[random() % sizeof...(values)];
    };
    for (int round = 0; round < 4000; ++round) {
        room free;
        free.cpu_milli = one_of(0, 2000, 8000, 64000);
        for (int i = one_of(0, 1, 2, 4, 8); i > 0; --i) free.gpus.push_back(one_of(0, 100, 400, 600, 1000, 1000));
        const int gpus = one_of(0, 1, 1, 2, 4);
        const demand what{one_of(0, 1000, 8000), gpus, gpus == 1 ? one_of(50, 400, 600, 1000) : whole_gpu};
        const auto policy = static_cast<placement_policy>(random() % 4);
        placer by(policy, halves());
        const auto best = by.best_on(free, what, "");
        const auto able = std::ranges::count_if(free.gpus, [&](int each) { return each >= what.milli; });
        CAPTURE(round);
        REQUIRE(best.has_value() == (free.cpu_milli >= what.cpu_milli && (gpus == 0 || able >= gpus)));
        if (!best) continue;
        REQUIRE(best->gpus.size() == static_cast<std::size_t>(gpus));
        REQUIRE(std::ranges::adjacent_find(best->gpus, std::ranges::greater_equal()) == best->gpus.end());
        for (const auto place : best->gpus) REQUIRE(free.gpus[place] >= what.milli);
    }
}

TEST_CASE("placement: its words") {
    for (const auto* word : {"fragmentation", "best-fit", "spread", "topology"})
        CHECK(parse_placement(word).has_value());
    CHECK(parse_placement("best fit").error().message() ==
          "\"best fit\" is no placement; use fragmentation, best-fit, spread or topology");
}
