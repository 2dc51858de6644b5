// The plugin for GPUs at the points where a scheduler asks it.
#include "plugins/gpu_plugin.hpp"

#include "board_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace gpu_scheduler;
using gpu_scheduler::test::board_world;
using kcontrol::scheduling::node_info;
using kcontrol::scheduling::pod_info;

namespace {

// What filter says of a pod on each node, after pre_filter: "ok", or the reason.
std::string filter_all(board_world& w, const gpu_plugin& plugin, const board_world::pod_object& of) {
    const pod_info pod(of);
    gpu_plugin::state state;
    const auto& nodes = w.snapshot();
    REQUIRE(plugin.pre_filter(state, pod, nodes).ok());
    std::string out;
    for (const auto* node : nodes.nodes()) {
        const auto said = plugin.filter(state, pod, *node);
        out += std::string(node->name()) + ": " + (said.ok() ? "ok" : std::string(said.reason(0).view())) + "\n";
    }
    return out;
}

board_world::pod_object add_member(board_world& w, const std::string& name, const std::string& gang,
                                   const std::string& wish, const std::string& node = {}) {
    const auto held = std::vector(node.empty() ? 0 : 1, board_world::device(node + "/0"));
    auto made = board_world::pod(name, {{"nvidia.com/gpu", "1"}}, node, held);
    made.metadata.labels["scheduling.kcontrol.dev/gang"] = gang;
    made.metadata.annotations["scheduling.kcontrol.dev/gang-size"] = "4";
    made.metadata.annotations["scheduling.kcontrol.dev/topology"] = wish;
    return w.put(std::move(made));
}

}  // namespace

TEST_CASE("gpu_plugin: a share counts towards a limit as the part of the node's GPU that it is") {
    board_world w;
    w.add_node("large", 40000);
    w.add_node("small", 10000);
    w.add_share("holds", 20000, "large");
    w.set_tenant("*", 0, 1);
    gpu_plugin plugin(w.known, {}, nullptr);
    const auto next = w.add_share("next", 6000);  // 150 thousandths of the large GPU, 600 of the small one
    const pod_info pod(next);
    const auto& nodes = w.snapshot();
    gpu_plugin::state state;
    REQUIRE(plugin.pre_filter(state, pod, nodes).ok());
    CHECK(plugin.filter(state, pod, *nodes.find("large")).ok());
    const auto said = plugin.filter(state, pod, *nodes.find("small"));
    REQUIRE(!said.ok());
    CHECK(said.reason(0).view() == "tenant nlp is at its limit of 1 GPU");
}

TEST_CASE("gpu_plugin: in a trial, a pod that goes gives its tenant's limit back, and one that comes takes of it") {
    board_world w;
    w.add_plain_node("n", 8);
    w.add_plain_node("other", 8, "", "B");
    w.add_whole("holds", 1, "n");
    w.set_tenant("A", 0, 2);
    auto theirs = board_world::pod("theirs", {{"nvidia.com/gpu", "1"}}, "n", {board_world::device("n/7")});
    theirs.metadata.namespace_ = "vision";
    const pod_info foreign(w.put(theirs));
    const pod_info holds(w.add_whole("holds", 1, "n"));
    const pod_info next(w.add_whole("next", 2));
    const gpu_plugin plugin(w.known, {}, nullptr);
    gpu_plugin::state state;
    const auto& nodes = w.snapshot();
    REQUIRE(plugin.pre_filter(state, next, nodes).ok());  // not all nodes have that product
    const auto& n = *nodes.find("n");
    const auto fits = [&] { return plugin.filter(state, next, n).ok(); };
    CHECK(!fits());
    plugin.remove_pod(state, next, foreign, n);
    CHECK(!fits());
    plugin.remove_pod(state, next, holds, *nodes.find("other"));  // as if it were there: another product
    CHECK(!fits());
    plugin.remove_pod(state, next, holds, n);
    CHECK(fits());
    plugin.add_pod(state, next, foreign, n);
    CHECK(fits());
    plugin.add_pod(state, next, holds, n);
    CHECK(!fits());
    CHECK(plugin.filter(state, next, *nodes.find("other")).ok());
}

TEST_CASE("gpu_plugin: the best node has the highest score, equal ones have the same") {
    board_world w;
    auto how = w.known->with();
    how.placement = placement_policy::best_fit;
    w.known->set(how);
    for (const char* name : {"empty", "half", "most", "same"}) w.add_node(name, 10000);
    w.add_share("a", 5000, "half");
    w.add_share("b", 8000, "most");
    w.add_share("c", 5000, "same");
    const pod_info pod(w.add_share("next", 1000));
    const gpu_plugin plugin(w.known, {}, nullptr);
    gpu_plugin::state state;
    const auto& nodes = w.snapshot();
    REQUIRE(plugin.pre_filter(state, pod, nodes).ok());
    REQUIRE(plugin.pre_score(state, pod, nodes, nodes.nodes()).ok());
    const auto score = [&](const char* name) { return plugin.score(state, pod, *nodes.find(name)); };
    CHECK(score("most") == 100);
    CHECK(score("half") == 75);
    CHECK(score("same") == 75);
    CHECK(score("empty") == 25);
}

TEST_CASE("gpu_plugin: a gang that must be in one domain stays in that of its pods") {
    board_world w;
    for (const auto& [name, rack] :
         {std::pair("a1", "a"), std::pair("a2", "a"), std::pair("b1", "b"), std::pair("free", "")}) {
        w.add_plain_node(name, 8, rack);
    }
    const gpu_plugin plugin(w.known, {}, nullptr);
    const std::string elsewhere = "node(s) were in another domain than the gang\n";
    const auto places = [&](const board_world::pod_object& of, std::int32_t needed) {
        const std::vector members{std::make_shared<const pod_info>(of)};
        std::string out;
        for (const auto& set : plugin.generate_placements(members, needed, w.snapshot())) {
            for (const auto* node : set) out += std::string(node->name()) + " ";
            out += "| ";
        }
        return out;
    };
    const auto next = add_member(w, "next", "ring", "required:rack");
    add_member(w, "foreign", "other", "required:rack", "b1");
    SUBCASE("the first of it goes wherever there is a domain, into the fullest that has room") {
        CHECK(filter_all(w, plugin, next) == "a1: ok\na2: ok\nb1: ok\nfree: " + elsewhere);
        CHECK(places(next, 4) == "b1 | a1 a2 | ");
        CHECK(places(next, 8) == "a1 a2 | ");
        CHECK(places(next, 17).empty());
    }
    SUBCASE("the others follow") {
        add_member(w, "first", "ring", "required:rack", "a1");
        CHECK(filter_all(w, plugin, next) == "a1: ok\na2: ok\nb1: " + elsewhere + "free: " + elsewhere);
        CHECK(places(next, 3) == "a1 a2 | ");
    }
    SUBCASE("one that only prefers it is not held") {
        add_member(w, "first", "ring", "preferred:rack", "a1");
        const auto may = add_member(w, "may", "ring", "preferred:rack");
        CHECK(filter_all(w, plugin, may) == "a1: ok\na2: ok\nb1: ok\nfree: ok\n");
        CHECK(places(may, 3) == "a1 a2 | a1 a2 b1 free | ");
    }
}
