// NodeResourcesFit and NodeResourcesBalancedAllocation.
#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::node_resources_balanced_allocation;
using scheduling::node_resources_fit;
using scheduling::node_resources_fit_options;
using scheduling::resource_weight;
using scheduling::scoring_strategy;

namespace {

std::string having(const std::string& allocatable) { return R"({"allocatable":{"pods":"110",)" + allocatable + "}}"; }

}  // namespace

TEST_CASE("NodeResourcesFit: names each resource that is insufficient") {
    plugin_world world;
    world.node("a", {}, "{}", having(R"("cpu":"4","memory":"8Gi","ephemeral-storage":"10Gi","nvidia.com/gpu":"2")"))
        .pod("a", "other", "{}", requesting(R"({"cpu":"3","memory":"4Gi","nvidia.com/gpu":"1"})"));
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"{}", "a ok"},
        {R"({"cpu":"1","memory":"4Gi","nvidia.com/gpu":"1","ephemeral-storage":"10Gi"})", "a ok"},
        {R"({"cpu":"1001m"})", "a -Insufficient cpu"},
        {R"({"cpu":"4"})", "a -Insufficient cpu"},
        {R"({"cpu":"4001m"})", "a !Insufficient cpu"},
        {R"({"memory":"4294967297"})", "a -Insufficient memory"},
        {R"({"ephemeral-storage":"11Gi"})", "a !Insufficient ephemeral-storage"},
        {R"({"nvidia.com/gpu":"2"})", "a -Insufficient nvidia.com/gpu"},
        {R"({"nvidia.com/gpu":"3"})", "a !Insufficient nvidia.com/gpu"},
        {R"({"example.com/x":"1"})", "a !Insufficient example.com/x"},
        {R"({"example.com/x":"0"})", "a ok"},
        {R"({"cpu":"2","memory":"9Gi"})", "a !Insufficient cpu + Insufficient memory"},
        {R"({"cpu":"2","memory":"5Gi","nvidia.com/gpu":"2"})",
         "a -Insufficient cpu + Insufficient memory + Insufficient nvidia.com/gpu"},
    };
    for (const auto& each : rows) {
        const auto& requests = each.first;
        const auto& expected = each.second;
        CAPTURE(requests);
        CHECK(filtered(node_resources_fit(), world, pod_of("p", requesting(requests))) == expected);
    }
}

TEST_CASE("NodeResourcesFit: the number of pods, and nodes that hold more than they have") {
    plugin_world world;
    world.node("full", {}, "{}", R"({"allocatable":{"pods":"1","cpu":"1"}})")
        .node("over", {}, "{}", having(R"("cpu":"1","memory":"1Gi")"))
        .node("none", {}, "{}", "{}")
        .pod("full", "one")
        .pod("over", "two", "{}", requesting(R"({"cpu":"3"})"));
    CHECK(filtered(node_resources_fit(), world, pod_of("p", requesting("{}"))) ==
          "full -Too many pods, none -Too many pods, over ok");
    CHECK(filtered(node_resources_fit(), world, pod_of("p", requesting(R"({"cpu":"500m"})"))) ==
          "full -Too many pods, none !Insufficient cpu + Too many pods, over -Insufficient cpu");
}

TEST_CASE("NodeResourcesFit: resources that others hand out are passed over") {
    plugin_world world;
    world.node("a", {}, "{}", having(R"("cpu":"4")"));
    node_resources_fit_options options;
    options.ignored_resources({"example.com/x"}).ignored_resource_groups({"vendor.io"});
    const node_resources_fit plugin(options);
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"example.com/x":"1"})", "a ok"},
        {R"({"example.com/y":"1"})", "a !Insufficient example.com/y"},
        {R"({"vendor.io/z":"1"})", "a ok"},
        {R"({"cpu":"5","vendor.io/z":"1"})", "a !Insufficient cpu"},
    };
    for (const auto& each : rows) {
        const auto& requests = each.first;
        const auto& expected = each.second;
        CAPTURE(requests);
        CHECK(filtered(plugin, world, pod_of("p", requesting(requests))) == expected);
    }
}

TEST_CASE("NodeResourcesFit: scores by what is left, or by what is taken") {
    plugin_world world;
    world.node("a", {}, "{}", having(R"("cpu":"2","memory":"4Gi","nvidia.com/gpu":"2")"))
        .node("b", {}, "{}", having(R"("cpu":"1","memory":"4Gi")"))
        .node("c", {}, "{}", having(R"("cpu":"2")"))
        .node("d", {}, "{}", having(R"("cpu":"2","memory":"4Gi")"))
        .pod("d", "other", "{}", requesting(R"({"cpu":"3","memory":"1Gi"})"));
    node_resources_fit_options most, gpus;
    most.strategy(scoring_strategy::most_allocated);
    gpus.strategy(scoring_strategy::most_allocated)
        .resources({resource_weight("cpu", 1), resource_weight("nvidia.com/gpu", 3)});
    const auto least_of = [&](const char* requests) {
        return scored(node_resources_fit(), world, pod_of("p", requesting(requests)));
    };
    const auto most_of = [&](const char* requests) {
        return scored(node_resources_fit(most), world, pod_of("p", requesting(requests)));
    };
    const auto gpus_of = [&](const char* requests) {
        return scored(node_resources_fit(gpus), world, pod_of("p", requesting(requests)));
    };
    // a: 75 and 75; b: 50 and 75; c: 75, its memory is unknown; d: 0, as cpu is overcommitted, and 50.
    CHECK(least_of(R"({"cpu":"500m","memory":"1Gi"})") == "a 75, b 62, c 75, d 25");
    CHECK(most_of(R"({"cpu":"500m","memory":"1Gi"})") == "a 25, b 37, c 25, d 75");
    // Without requests: 100m and 200 MiB.
    CHECK(least_of("{}") == "a 95, b 92, c 95, d 35");
    // A pod that requests no GPU does not care for them.
    CHECK(gpus_of(R"({"cpu":"500m"})") == "a 25, b 50, c 25, d 100");
    CHECK(gpus_of(R"({"cpu":"500m","nvidia.com/gpu":"1"})") == "a 43, b 50, c 25, d 100");
}

TEST_CASE("NodeResourcesFit: scores of amounts beyond 2^63 / 100") {
    plugin_world world;
    world.node("a", {}, "{}", having(R"("cpu":"2","memory":"4611686018427387904")"));
    CHECK(scored(node_resources_fit(), world,
                 pod_of("p", requesting(R"({"cpu":"1","memory":"1152921504606846976"})"))) == "a 62");  // 50 and 75
}

TEST_CASE("NodeResourcesBalancedAllocation: scores by how the pod changes the balance") {
    plugin_world world;
    world.node("even", {}, "{}", having(R"("cpu":"4","memory":"4Gi","nvidia.com/gpu":"1")"))
        .node("memory-full", {}, "{}", having(R"("cpu":"4","memory":"4Gi")"))
        .node("no-memory", {}, "{}", having(R"("cpu":"4")"))
        .pod("memory-full", "other", "{}", requesting(R"({"memory":"4Gi"})"));
    const auto scores = [&](const std::string& requests) {
        return scored(node_resources_balanced_allocation(), world, pod_of("p", requesting(requests)));
    };
    CHECK(scores("{}") == "skip");
    CHECK(scores(R"({"nvidia.com/gpu":"1"})") == "skip");
    // Fractions after: 1/2 1/2; 1/2 1 (capped); 1/2.
    CHECK(scores(R"({"cpu":"2","memory":"2Gi"})") == "even 75, memory-full 87, no-memory 75");
    CHECK(scores(R"({"cpu":"4"})") == "even 50, memory-full 100, no-memory 75");
    // 3/4 0: a deviation of 0.375, so 62 of 100.
    CHECK(scores(R"({"cpu":"3"})") == "even 56, memory-full 93, no-memory 75");
    const node_resources_balanced_allocation three(
        {resource_weight("cpu", 1), resource_weight("memory", 1), resource_weight("nvidia.com/gpu", 1)});
    // 1/2 1/4 1: a deviation of 0.3118, so 68 of 100.
    CHECK(scored(three, world, pod_of("p", requesting(R"({"cpu":"2","memory":"1Gi","nvidia.com/gpu":"1"})"))) ==
          "even 59, memory-full 87, no-memory 75");
}
