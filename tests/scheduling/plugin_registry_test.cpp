// plugin_registry: profiles of a configuration, and what kube-scheduler's arguments may be.
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/plugin_registry.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;
using scheduling::plugin_registry;

namespace {

struct never {
    static constexpr std::string_view name = "Never";
    scheduling::status filter(const scheduling::pod_info&, const scheduling::node_info&) const { return {}; }
};

result<std::vector<scheduling::profile>> profiles_of(const std::string& text) {
    static const scheduling::volume_catalog volumes;
    auto known = scheduling::default_registry(volumes);
    known.add(never(), 7);
    const auto read =
        scheduling::parse_configuration("f", text, [&](std::string_view name) { return known.knows(name); });
    REQUIRE_MESSAGE(read.has_value(), read.error().what());
    return known.make(*read);
}

std::string with_args(const std::string& plugin, const std::string& args) {
    return "profiles:\n- schedulerName: a\n  plugins:\n  - name: " + plugin + "\n    args: " + args + "\n";
}

}  // namespace

TEST_CASE("a profile without a list has all plugins, one with a list those in its order") {
    const auto made = profiles_of(
        "profiles:\n- schedulerName: a\n- schedulerName: b\n  percentageOfNodesToScore: 30\n  plugins:\n"
        "  - {name: TaintToleration}\n  - {name: Never, weight: 2}\n  - {name: NodeName}\n");
    REQUIRE(made.has_value());
    REQUIRE(made->size() == 2);
    const auto& all = made->front();
    REQUIRE(all.size() == scheduling::default_plugins.size() + 1);
    for (std::size_t i = 0; i < scheduling::default_plugins.size(); ++i) {
        CHECK(all.at(i).name() == scheduling::default_plugins[i].name);
        CHECK(all.weight_of(i) == std::max<std::int64_t>(scheduling::default_plugins[i].weight, 1));
    }
    CHECK(all.weight_of(all.size() - 1) == 7);
    const auto& some = made->back();
    REQUIRE(some.size() == 3);
    CHECK((some.at(0).name() == "TaintToleration" && some.at(1).name() == "Never" && some.at(2).name() == "NodeName"));
    CHECK((some.weight_of(0) == 3 && some.weight_of(1) == 2));
    CHECK(some.percentage_of_nodes_to_score() == 30);
}

TEST_CASE("arguments of plugins are kube-scheduler's, and what is wrong has its line") {
    struct row {
        const char* plugin;
        const char* args;
        const char* message;  // empty: it is right
    };
    for (const row& each : {
             row{"NodeResourcesFit", "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 2}]}}",
                 ""},
             row{"NodeResourcesFit", "{ignoredResources: [a.b/c], ignoredResourceGroups: [a.b]}", ""},
             row{"NodeResourcesFit", "{scoringStrategy: {type: Most}}",
                 "f:5: type: \"Most\" is not one of LeastAllocated, MostAllocated"},
             row{"NodeResourcesFit", "{scoringStrategy: {resources: [{name: cpu, weight: 101}]}}",
                 "f:5: weight: 101 is not a whole number from 1 to 100"},
             row{"NodeResourcesFit", "{scoringStrategy: {resources: [{weight: 1}]}}", "f:5: a resource needs a name"},
             row{"NodeResourcesFit", "{ignoredResources: [1]}", "f:5: ignoredResources: a text is expected"},
             row{"NodeResourcesFit", "{other: 1}",
                 "f:5: unknown key \"other\"; known here: scoringStrategy, ignoredResources, ignoredResourceGroups"},
             row{"NodeResourcesBalancedAllocation", "{resources: [{name: cpu}]}", ""},
             row{"InterPodAffinity", "{hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}", ""},
             row{"InterPodAffinity", "{hardPodAffinityWeight: 101}",
                 "f:5: hardPodAffinityWeight: 101 is not a whole number from 0 to 100"},
             row{"InterPodAffinity", "{ignorePreferredTermsOfExistingPods: 1}",
                 "f:5: ignorePreferredTermsOfExistingPods: true or false is expected"},
             row{"PodTopologySpread", "{defaultingType: System}", ""},
             row{"PodTopologySpread",
                 "{defaultingType: List, defaultConstraints: [{topologyKey: z, maxSkew: 1, whenUnsatisfiable: "
                 "ScheduleAnyway}]}",
                 ""},
             row{"PodTopologySpread", "{defaultConstraints: [{topologyKey: z}]}",
                 "f:5: defaultConstraints: these need defaultingType: List"},
             row{"PodTopologySpread", "{defaultingType: List, defaultConstraints: [{topologyKey: z, maxSkew: 0}]}",
                 "f:5: maxSkew: 0 is not a whole number from 1 to 2147483647"},
             row{"NodeName", "{}", "f:5: NodeName takes no args"},
             row{"Never", "{}", "f:5: Never takes no args"},
         }) {
        CAPTURE(each.args);
        const auto made = profiles_of(with_args(each.plugin, each.args));
        CHECK((made ? std::string() : made.error().message()) == each.message);
    }
}
