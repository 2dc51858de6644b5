#include "topology/topology.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include "support/fake_nvml.hpp"
#include "support/golden.hpp"
#include "topology/read_topology.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpu_labeler;
using gpu_labeler::test::check_golden;
using gpu_labeler::test::fake_nvml;
using gpu_labeler::test::recorded;

namespace {

topology topology_of(const std::string& inventory,
                     const std::string& library = gpu_labeler::test::fake_nvml_library()) {
    const fake_nvml machine(inventory, library);
    kcontrol::testing::manual_environment env;
    auto t = read_topology(*machine.make_session(env));
    REQUIRE(t);
    return std::move(*t);
}

connected_gpu at(std::string bus, std::vector<std::string> gpu_links, unsigned switch_links = 0) {
    connected_gpu gpu;
    gpu.bus_id = std::move(bus);
    gpu.gpu_links = std::move(gpu_links);
    gpu.switch_links = switch_links;
    return gpu;
}

// A number for every pair, in rows.
std::vector<std::vector<unsigned>> all_pairs(std::size_t gpus, unsigned links) {
    std::vector<std::vector<unsigned>> rows(gpus, std::vector<unsigned>(gpus, links));
    for (std::size_t i = 0; i < gpus; ++i) rows[i][i] = 0;
    return rows;
}

}  // namespace

TEST_CASE("topology: NVLinks between two GPUs") {
    const auto a = at("a", {"b", "b", "c"});
    const auto b = at("b", {"a", "c", "a"});
    CHECK(nvlinks_between(a, b) == 2);
    CHECK(nvlinks_between(a, at("c", {"a"})) == 1);
    CHECK(nvlinks_between(a, at("d", {})) == 0);
    CHECK(nvlinks_between(a, at("b", {"a"})) == 1);  // the other one of b is not up yet
    CHECK(nvlinks_between(at("a", {}, 12), at("b", {}, 12)) == 12);
    CHECK(nvlinks_between(at("a", {}, 12), at("b", {}, 10)) == 10);
    CHECK(nvlinks_between(at("a", {}, 12), at("b", {}, 0)) == 0);
    auto divided = at("b", {"a"}, 12);
    divided.divided = true;
    CHECK(nvlinks_between(at("a", {"b"}, 12), divided) == 0);
}

TEST_CASE("topology: golden annotations") {
    for (const auto* name : {"dgx-1v", "a100-x8", "h100-x8", "l40s-x8", "a100-mig-single", "t4", "no-gpu"}) {
        check_golden(std::string("topologies/") + name + ".json",
                     topology_annotation(topology_of(recorded(name))) + "\n");
    }
}

TEST_CASE("topology: a DGX-1V's cube mesh") {
    const auto t = topology_of(recorded("dgx-1v"));
    const std::vector<std::vector<unsigned>> expected = {
        {0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0}, {2, 1, 2, 0, 0, 0, 0, 1},
        {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1}, {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};
    CHECK(t.nvlinks == expected);
    CHECK(t.paths[0][1] == pcie_path::one_switch);
    CHECK(t.paths[0][3] == pcie_path::host_bridge);
    CHECK(t.paths[7][0] == pcie_path::system);
    CHECK(t.gpus[3].numa_node == 0U);
    CHECK(t.gpus[4].numa_node == 1U);
}

TEST_CASE("topology: behind switches every GPU has all its links to every other one") {
    CHECK(topology_of(recorded("a100-x8")).nvlinks == all_pairs(8, 12));
    CHECK(topology_of(recorded("h100-x8")).nvlinks == all_pairs(8, 18));
    CHECK(topology_of(recorded("l40s-x8")).nvlinks == all_pairs(8, 0));
    CHECK(topology_of(recorded("a100-mig-single")).nvlinks == all_pairs(2, 0));
}

TEST_CASE("topology: an old driver does not tell what is at the end of a link, but where") {
    CHECK(topology_of(recorded("dgx-1v"), gpu_labeler::test::fake_nvml_of_2018_library()).nvlinks ==
          topology_of(recorded("dgx-1v")).nvlinks);
    CHECK(topology_of(recorded("a100-x8"), gpu_labeler::test::fake_nvml_of_2018_library()).nvlinks == all_pairs(8, 12));
}

TEST_CASE("topology: links that are down, and ways that are not told") {
    const auto t = topology_of(
        "gpu uuid=0 bus=a switch_links=10 inactive_links=2\ngpu uuid=1 bus=b switch_links=12\n"
        "pcie X ?\npcie ? X\n");
    CHECK(t.nvlinks == all_pairs(2, 10));
    CHECK_FALSE(t.paths[0][1]);
    CHECK(topology_annotation(t) == R"({"gpus":[{"index":0,"uuid":"0"},{"index":1,"uuid":"1"}],)"
                                    R"("nvlinks":[[0,10],[10,0]],"pcie":[["X",null],[null,"X"]]})");
}

TEST_CASE("topology: a lost GPU is left out, and the others keep their places in the rows") {
    const auto t = topology_of(recorded("a100-x8") + "fault call=nvmlDeviceGetUUID gpu=2 return=15\n");
    REQUIRE(t.gpus.size() == 7);
    CHECK(t.gpus[2].index == 3);
    CHECK(t.nvlinks == all_pairs(7, 12));
    CHECK(t.paths[1][2] == pcie_path::system);
    CHECK(t.paths[2][1] == pcie_path::system);
}

TEST_CASE("topology: a reload in the middle is an error") {
    const fake_nvml machine(recorded("t4") + "fault call=nvmlDeviceGetUUID return=1\n");
    kcontrol::testing::manual_environment env;
    const auto t = read_topology(*machine.make_session(env));
    REQUIRE_FALSE(t);
    CHECK(t.error().message().find("shut down") != std::string::npos);
}

TEST_CASE("topology: the NUMA node of sysfs counts more than what NVML says") {
    const fake_nvml machine("gpu uuid=0 bus=00000000:3B:00.0 numa=5\n");
    kcontrol::testing::manual_environment env;
    for (const auto& [text, expected] : {std::pair<const char*, std::optional<unsigned>>{"1\n", 1}, {"-1\n", {}}}) {
        nvml_session session(env, machine.library(), "/sys", [text = text](const std::string& path) {
            CHECK(path == "/sys/bus/pci/devices/0000:3b:00.0/numa_node");
            return std::optional<std::string>(text);
        });
        const auto t = read_topology(session);
        REQUIRE(t);
        CHECK(t->gpus[0].numa_node == expected);
    }
    CHECK(topology_of("gpu uuid=0 bus=00000000:3B:00.0 numa=5\n").gpus[0].numa_node == 5U);
}

TEST_CASE("topology: levels of NVML") {
    const std::pair<unsigned, std::string_view> table[] = {{0, "INT"},  {10, "PIX"},  {20, "PXB"},
                                                           {30, "PHB"}, {40, "NODE"}, {50, "SYS"}};
    for (const auto& [level, name] : table) {
        REQUIRE(path_of(level));
        CHECK(name_of(*path_of(level)) == name);
    }
    CHECK_FALSE(path_of(60));
}
