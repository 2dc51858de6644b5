// The keys of --config that are the program's own.
#include "cluster/settings.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace gpu_scheduler;

namespace {

result<settings> read(const std::string& text) {
    auto file = kcontrol::json::yaml_file::parse("gpu.yaml", text);
    REQUIRE(file.has_value());
    return read_settings(
        kcontrol::scheduling::configuration_part(std::make_shared<const kcontrol::json::yaml_file>(std::move(*file))));
}
std::string wrong(const std::string& text) {
    const auto out = read(text);
    return out ? "" : out.error().message();
}

}  // namespace

TEST_CASE("settings: all of them, and what counts without them") {
    const auto none = read("{}");
    REQUIRE(none);
    CHECK(none->placement == placement_policy::fragmentation);
    CHECK_FALSE(none->takes_turns);
    CHECK(none->topology_keys.size() == 3);
    const auto all = read(
        "placement: spread\nslices: weighted-round-robin\nmessageMB: 50\n"
        "costs: {nvlink: [0.001, 0], far: [1, 2]}\ntopologyKeys: [example.com/row]\nhunger: [0.1, 0.2]\n");
    REQUIRE(all);
    CHECK(all->placement == placement_policy::spread);
    CHECK(all->takes_turns);
    CHECK(all->costs.over(all->costs.nvlink) == std::chrono::microseconds(50));
    CHECK(all->costs.over(all->costs.far) == std::chrono::milliseconds(52));
    CHECK(all->costs.pcie.per_mb == 0.015);
    CHECK(all->topology_keys == std::vector<std::string>{"example.com/row"});
    CHECK(all->hunger == hunger_bounds{0.1, 0.2});
}

TEST_CASE("settings: what is wrong has its line and its key") {
    CHECK(wrong("\nplacement: tight") ==
          "gpu.yaml:2: placement: \"tight\" is no placement; use fragmentation, best-fit, spread or topology");
    CHECK(wrong("slices: all") == "gpu.yaml:1: slices: \"all\" is not one of best-fit, weighted-round-robin");
    CHECK(wrong("hunger: [0.7, 0.3]").starts_with("gpu.yaml:1: "));
    CHECK(wrong("hunger: 1").find("two numbers are expected") != std::string::npos);
    CHECK(wrong("costs: {pcie: [0.1]}").find("[milliseconds per MB, milliseconds]") != std::string::npos);
    CHECK(wrong("costs: {pci: [0.1, 0]}").find("unknown key \"pci\"") != std::string::npos);
    CHECK(wrong("messageMB: -1") == "gpu.yaml:1: -1 is no number from 0 to 1000000");
    CHECK(wrong("topologyKeys: [\"a b\"]") == "gpu.yaml:1: topologyKeys: \"a b\" is no key of a label");
}
