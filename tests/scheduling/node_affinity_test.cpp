// NodeAffinity.
#include <kcontrol/scheduling/node_affinity.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::node_affinity;
using scheduling::node_affinity_options;

namespace {

plugin_world& nodes(plugin_world& world) {
    return world.node("a", R"("zone":"a","disk":"ssd")").node("b", R"("zone":"b")").node("c");
}

std::string affine(const std::string& of_nodes, const std::string& more = {}) {
    return R"({"containers":[],"affinity":{"nodeAffinity":{)" + of_nodes + "}}" + more + "}";
}

std::string required(const std::string& terms, const std::string& more = {}) {
    return affine(R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" + terms + "]}", more);
}

std::string preferred(const std::string& terms) {
    return affine(R"("preferredDuringSchedulingIgnoredDuringExecution":[)" + terms + "]");
}

std::string labelled(const std::string& key, const std::string& value) {
    return R"({"matchExpressions":[{"key":")" + key + R"(","operator":"In","values":[")" + value + R"("]}]})";
}

std::string named(const std::vector<std::string>& each) {
    std::string fields;
    for (const auto& name : each) {
        fields += std::string(fields.empty() ? "" : ",") + R"({"key":"metadata.name","operator":"In","values":[")" +
                  name + R"("]})";
    }
    return R"({"matchFields":[)" + fields + "]}";
}

}  // namespace

TEST_CASE("NodeAffinity: what a pod requires") {
    plugin_world world;
    nodes(world);
    const std::string no = " !node(s) didn't match Pod's node affinity/selector";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"containers":[]})", "all skip"},
        {R"({"containers":[],"nodeSelector":{"zone":"a"}})", "a ok, b" + no + ", c" + no},
        {required(labelled("zone", "b")), "a" + no + ", b ok, c" + no},
        {required(labelled("zone", "a") + "," + labelled("zone", "b")), "a ok, b ok, c" + no},
        {required(labelled("zone", "b"), R"(,"nodeSelector":{"zone":"a"})"), "a" + no + ", b" + no + ", c" + no},
        {required(R"({"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})"),
         "a" + no + ", b" + no + ", c ok"},
        {required(""), "a" + no + ", b" + no + ", c" + no},
        {required("{}"), "a" + no + ", b" + no + ", c" + no},
        // A wrong term selects nothing, and does not spoil the others.
        {required(R"({"matchExpressions":[{"key":"zone","operator":"Gt","values":["x"]}]})"),
         "a" + no + ", b" + no + ", c" + no},
        {required(R"({"matchExpressions":[{"key":"zone","operator":"Gt","values":["x"]}]},)" + labelled("zone", "a")),
         "a ok, b" + no + ", c" + no},
        {preferred(R"({"weight":1,"preference":)" + labelled("zone", "a") + "}"), "all skip"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(filtered(node_affinity(), world, pod_of("p", spec)) == expected);
    }
}

TEST_CASE("NodeAffinity: terms that name nodes leave the others out") {
    plugin_world world;
    nodes(world);
    const std::vector<std::pair<std::string, std::string>> rows = {
        {required(named({"b"})), "b ok"},
        {required(named({"b"}) + "," + named({"c"})), "b ok, c ok"},
        {required(named({"b", "b"})), "b ok"},
        {required(named({"b", "c"})), "all !pod affinity terms conflict"},
        {required(named({"b", "c"}) + "," + named({"a"})), "a ok"},
        {required(named({"gone"})), ""},
        {required(named({"b"}) + "," + labelled("zone", "a")),
         "a ok, b ok, c !node(s) didn't match Pod's node affinity/selector"},
        {required(R"({"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["a"]}]})"),
         "a !node(s) didn't match Pod's node affinity/selector, b ok, c ok"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(filtered(node_affinity(), world, pod_of("p", spec)) == expected);
    }
}

TEST_CASE("NodeAffinity: scores by the weights of preferred terms") {
    plugin_world world;
    nodes(world);
    const auto weighed = [](int weight, const std::string& term) {
        return R"({"weight":)" + std::to_string(weight) + R"(,"preference":)" + term + "}";
    };
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"containers":[]})", "skip"},
        {preferred(weighed(2, R"({"matchExpressions":[{"key":"zone","operator":"Exists"}]})") + "," +
                   weighed(5, labelled("disk", "ssd"))),
         "a 100, b 28, c 0"},  // 7, 2 and 0
        {preferred(weighed(9, labelled("zone", "nowhere"))), "a 0, b 0, c 0"},
        {preferred(weighed(4, named({"c"})) + "," + weighed(3, labelled("zone", "b"))), "a 0, b 75, c 100"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(scored(node_affinity(), world, pod_of("p", spec)) == expected);
    }
}

TEST_CASE("NodeAffinity: the profile's terms hold for all pods") {
    plugin_world world;
    nodes(world);
    const auto zone_a = node_selector::of(*object_of<core::node_selector_term>(labelled("zone", "a")));
    const auto zone_b = node_selector::of(*object_of<core::node_selector_term>(labelled("zone", "b")));
    node_affinity_options options;
    options.added_required(*zone_a).added_preferred({{*zone_b, 10}});
    const node_affinity plugin(options);
    const std::string no = " !node(s) didn't match scheduler-enforced node affinity";
    CHECK(filtered(plugin, world, pod_of("p", R"({"containers":[]})")) == "a ok, b" + no + ", c" + no);
    CHECK(filtered(plugin, world, pod_of("p", R"({"containers":[],"nodeSelector":{"zone":"b"}})")) ==
          "a !node(s) didn't match Pod's node affinity/selector, b" + no + ", c" + no);
    CHECK(scored(plugin, world, pod_of("p", R"({"containers":[]})")) == "a 0, b 100, c 0");
}
