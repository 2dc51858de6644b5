#include "gpus/gpu_pools.hpp"

#include <kcontrol/codec/codec.hpp>

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

std::optional<gpu_row> row(const std::string& text) {
    const auto node = kcontrol::from_json<gpu_node>(text);
    REQUIRE_MESSAGE(node.has_value(), text, (node ? std::string() : node.error().what()));
    return row_of(*node);
}

std::string node(const std::string& allocatable, const std::string& ready, const std::string& spec = "{}") {
    return R"({"metadata":{"name":"n1","labels":{"nvidia.com/gpu.product":"NVIDIA-H100"}},"spec":)" + spec +
           R"(,"status":{"allocatable":)" + allocatable + R"(,"conditions":[{"type":"Ready","status":")" + ready +
           R"("}]}})";
}

gpu_row h100(std::string name, std::int64_t gpus = 8, bool usable = true) {
    return {std::move(name), "NVIDIA-H100", gpus, usable};
}

}  // namespace

TEST_CASE("gpu nodes: what is read of them, and which take pods") {
    const auto good = row(node(R"({"nvidia.com/gpu":"8","cpu":"96"})", "True"));
    REQUIRE(good);
    CHECK(good->name == "n1");
    CHECK(good->product == "NVIDIA-H100");
    CHECK(good->gpus == 8);
    CHECK(good->usable);
    CHECK_FALSE(row(node(R"({"nvidia.com/gpu":8})", "False"))->usable);
    CHECK_FALSE(row(node(R"({"nvidia.com/gpu":8})", "Unknown"))->usable);
    CHECK_FALSE(row(node(R"({"nvidia.com/gpu":8})", "True", R"({"unschedulable":true})"))->usable);
    CHECK_FALSE(row(node(R"({"cpu":"96"})", "True")));
    CHECK_FALSE(row(node(R"({"nvidia.com/gpu":"0"})", "True")));
    const auto bare = row(R"({"metadata":{"name":"n2"},"status":{"allocatable":{"nvidia.com/gpu":"4"}}})");
    REQUIRE(bare);
    CHECK(bare->product.empty());
    CHECK_FALSE(bare->usable);
}

TEST_CASE("gpu pools: allocatable, asked for and free, and what would fit, node by node") {
    const auto sum = sum_up({h100("a"), h100("b"), h100("c"), h100("off", 8, false), {"t", "T4", 2, true}},
                            {{"a", 8}, {"b", 3}, {"", 16}, {"off", 2}, {"unknown", 1}});
    CHECK(sum.waiting == 16);
    REQUIRE(sum.pools.size() == 2);
    const auto& h = sum.pools[0];
    CHECK(h.product == "NVIDIA-H100");
    CHECK(h.nodes == 4);
    CHECK(h.usable_nodes == 3);
    CHECK(h.allocatable == 32);
    CHECK(h.asked == 13);
    CHECK(h.free == 13);
    CHECK(h.fits == std::vector<gpu_fit>{{8, 1}, {4, 3}, {2, 6}, {1, 13}});
    CHECK(sum.pools[1].fits == std::vector<gpu_fit>{{2, 1}, {1, 2}});
}

TEST_CASE("gpu pools: full nodes, too full ones, and odd sizes") {
    CHECK(sum_up({}, {}).pools.empty());
    const auto full = sum_up({h100("a"), h100("b")}, {{"a", 8}, {"b", 9}});
    CHECK(full.pools[0].free == 0);
    CHECK(full.pools[0].asked == 17);
    CHECK(full.pools[0].fits.empty());
    CHECK(sum_up({h100("a", 6)}, {}).pools[0].fits == std::vector<gpu_fit>{{6, 1}, {4, 1}, {2, 3}, {1, 6}});
    // No whole node is free.
    CHECK(sum_up({h100("a")}, {{"a", 1}}).pools[0].fits == std::vector<gpu_fit>{{4, 1}, {2, 3}, {1, 7}});
}
