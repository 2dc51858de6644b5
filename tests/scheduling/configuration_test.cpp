// The configuration file: what it says, and each error with its line.
#include <kcontrol/scheduling/configuration.hpp>
#include <kcontrol/scheduling/default_plugins.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace kcontrol;
using scheduling::parse_configuration;

namespace {

result<scheduling::scheduler_configuration> read(std::string_view text) {
    return parse_configuration("c.yaml", text, [](std::string_view name) {
        return std::ranges::count(scheduling::default_plugins, name, &scheduling::default_plugin::name) != 0;
    });
}

}  // namespace

TEST_CASE("a configuration names profiles, and the plugins of each") {
    const auto all = read(
        "profiles:\n"
        "- schedulerName: packing\n"
        "  percentageOfNodesToScore: 50\n"
        "  plugins:\n"
        "  - name: NodeResourcesFit\n"
        "    weight: 5\n"
        "    args: {scoringStrategy: {type: MostAllocated}}\n"
        "  - {name: NodeName}\n"
        "- schedulerName: plain\n"
        "- {schedulerName: none, plugins: []}\n");
    REQUIRE(all.has_value());
    REQUIRE(all->profiles.size() == 3);
    const auto& packing = all->profiles[0];
    CHECK(packing.scheduler_name == "packing");
    CHECK(packing.percentage_of_nodes_to_score == 50);
    REQUIRE(packing.plugins);
    REQUIRE(packing.plugins->size() == 2);
    const auto& fit = packing.plugins->front();
    CHECK((fit.name == "NodeResourcesFit" && fit.weight == 5));
    CHECK(*fit.args.member("scoringStrategy").text("type") == "MostAllocated");
    CHECK(!packing.plugins->back().weight);
    CHECK(!packing.plugins->back().args);
    CHECK(!all->profiles[1].plugins);
    CHECK(all->profiles[1].percentage_of_nodes_to_score == 0);
    CHECK((all->profiles[2].plugins && all->profiles[2].plugins->empty()));
}

TEST_CASE("a program's own keys stand beside the profiles, which may be absent then") {
    const auto known = [](std::string_view) { return false; };
    const auto alone = parse_configuration("c.yaml", "placement: spread\n", known, {"placement"});
    REQUIRE(alone.has_value());
    CHECK(alone->profiles.empty());
    CHECK(*alone->file.text("placement") == "spread");
    CHECK(parse_configuration("c.yaml", "{}", known, {"placement"}).has_value());
    const auto other = parse_configuration("c.yaml", "\nplace: 1\n", known, {"placement"});
    CHECK(other.error().message() == "c.yaml:2: unknown key \"place\"; known here: profiles, placement");
    CHECK_FALSE(parse_configuration("c.yaml", "profiles: []\n", known, {"placement"}).has_value());
}

TEST_CASE("what is wrong in a configuration is answered with file and line") {
    struct row {
        const char* text;
        const char* message;
    };
    constexpr const char* one = "profiles:\n- schedulerName: a\n  plugins:\n";
    const std::string plugins(one);
    const auto check = [](const std::string& text, const std::string& message) {
        CAPTURE(text);
        const auto wrong = read(text);
        REQUIRE(!wrong.has_value());
        CHECK(wrong.error().code() == errc::invalid_config);
        CHECK(wrong.error().message() == message);
    };
    for (const row& each : {
             row{"- name: Nothing\n", "c.yaml:4: name: unknown plugin \"Nothing\""},
             row{"- name: NodeName\n  wieght: 1\n", "c.yaml:5: unknown key \"wieght\"; known here: name, weight, args"},
             row{"- weight: 1\n", "c.yaml:4: a plugin needs a name"},
             row{"- NodeName\n", "c.yaml:4: an object with the keys name, weight, args is expected"},
             row{"- name: NodeName\n  weight: 0\n", "c.yaml:5: weight: 0 is not a whole number from 1 to 2147483647"},
             row{"- name: NodeName\n  weight: -1\n", "c.yaml:5: weight: -1 is not a whole number from 1 to 2147483647"},
             row{"- name: NodeName\n  weight: 3.5\n",
                 "c.yaml:5: weight: 3.5 is not a whole number from 1 to 2147483647"},
             row{"- name: NodeName\n  weight: x\n",
                 "c.yaml:5: weight: \"x\" is not a whole number from 1 to 2147483647"},
             row{"- name: NodeName\n- name: NodePorts\n- name: NodeName\n",
                 "c.yaml:6: name: plugin \"NodeName\" is there twice"},
         }) {
        std::string text = plugins;
        for (std::string_view rest = each.text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
            text.append("  ").append(rest.substr(0, rest.find('\n') + 1));
        }
        check(text, each.message);
    }
    for (const row& each : {
             row{"", "c.yaml:1: one YAML document is expected, found 0"},
             row{"profiles:\n", "c.yaml:1: profiles: at least one profile is expected"},
             row{"{}\n", "c.yaml:1: profiles: at least one profile is expected"},
             row{"profiles: []\n", "c.yaml:1: profiles: at least one profile is expected"},
             row{"profiles: {}\n", "c.yaml:1: profiles: a list is expected"},
             row{"[]\n", "c.yaml:1: an object with the keys profiles is expected"},
             row{"profiles: [{schedulerName: a}]\nkind: X\n", "c.yaml:2: unknown key \"kind\"; known here: profiles"},
             row{"profiles:\n- plugins: []\n", "c.yaml:2: a profile needs a schedulerName"},
             row{"profiles:\n- schedulerName: ''\n", "c.yaml:2: schedulerName: a text is expected"},
             row{"profiles:\n- schedulerName: 5\n", "c.yaml:2: schedulerName: a text is expected"},
             row{"profiles:\n- schedulerName: a\n  plugins: x\n", "c.yaml:3: plugins: a list is expected"},
             row{"profiles:\n- schedulerName: a\n- schedulerName: b\n- schedulerName: a\n",
                 "c.yaml:4: schedulerName: profile \"a\" is there twice"},
             row{"profiles:\n- schedulerName: a\n  percentageOfNodesToScore: 101\n",
                 "c.yaml:3: percentageOfNodesToScore: 101 is not a whole number from 0 to 100"},
             row{"profiles:\n- schedulerName: a\n  schedulerName: b\n", "c.yaml:3: key \"schedulerName\" twice"},
             row{"profiles:\n- schedulerName: a\n  pluginz: []\n",
                 "c.yaml:3: unknown key \"pluginz\"; known here: schedulerName, percentageOfNodesToScore, plugins"},
         }) {
        check(each.text, each.message);
    }
}
