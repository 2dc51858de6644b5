// NodeName, NodeUnschedulable and TaintToleration.
#include <kcontrol/scheduling/node_affinity.hpp>
#include <kcontrol/scheduling/node_name.hpp>
#include <kcontrol/scheduling/node_unschedulable.hpp>
#include <kcontrol/scheduling/taint_toleration.hpp>
#include <kcontrol/scheduling/tolerations.hpp>

#include "scheduling/plugin_world.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string tolerating(const std::string& tolerations) {
    return R"({"containers":[],"tolerations":[)" + tolerations + "]}";
}

std::string tainted(const std::string& taints) { return R"({"taints":[)" + taints + "]}"; }

std::string soft(const std::string& key) { return R"({"key":")" + key + R"(","effect":"PreferNoSchedule"})"; }

}  // namespace

TEST_CASE("tolerates: each part of a toleration") {
    struct row {
        std::string toleration, taint;
        bool tolerated;
    };
    const std::vector<row> rows = {
        {R"({"operator":"Exists"})", R"({"key":"a","value":"x","effect":"NoExecute"})", true},
        {R"({"key":"a","operator":"Exists"})", R"({"key":"a","value":"x","effect":"NoSchedule"})", true},
        {R"({"key":"b","operator":"Exists"})", R"({"key":"a","effect":"NoSchedule"})", false},
        {R"({"key":"a","value":"x"})", R"({"key":"a","value":"x","effect":"NoSchedule"})", true},
        {R"({"key":"a","operator":"Equal","value":"x"})", R"({"key":"a","value":"y","effect":"NoSchedule"})", false},
        {R"({"key":"a"})", R"({"key":"a","effect":"NoSchedule"})", true},
        {R"({"value":"x"})", R"({"key":"a","value":"x","effect":"NoSchedule"})", true},
        {R"({"key":"a","operator":"Exists","effect":"NoSchedule"})", R"({"key":"a","effect":"NoExecute"})", false},
        {R"({"key":"a","operator":"Exists","effect":"NoExecute"})", R"({"key":"a","effect":"NoExecute"})", true},
        {R"({"key":"a","operator":"Gt","value":"5"})", R"({"key":"a","value":"6","effect":"NoSchedule"})", true},
        {R"({"key":"a","operator":"Gt","value":"5"})", R"({"key":"a","value":"5","effect":"NoSchedule"})", false},
        {R"({"key":"a","operator":"Lt","value":"-5"})", R"({"key":"a","value":"-6","effect":"NoSchedule"})", true},
        {R"({"key":"a","operator":"Lt","value":"10"})", R"({"key":"a","value":"9","effect":"NoSchedule"})", true},
        {R"({"key":"a","operator":"Lt","value":"10"})", R"({"key":"a","value":"09","effect":"NoSchedule"})", false},
        {R"({"key":"a","operator":"Gt","value":"x"})", R"({"key":"a","value":"6","effect":"NoSchedule"})", false},
        {R"({"key":"a","operator":"Gt","value":"5"})", R"({"key":"a","effect":"NoSchedule"})", false},
        {R"({"key":"a","operator":"Other","value":"x"})", R"({"key":"a","value":"x","effect":"NoSchedule"})", false},
    };
    for (const auto& each : rows) {
        const auto& toleration = each.toleration;
        const auto& taint = each.taint;
        const auto& tolerated = each.tolerated;
        CAPTURE(toleration);
        CAPTURE(taint);
        CHECK(scheduling::tolerates(*object_of<core::toleration>(toleration), *object_of<core::taint>(taint)) ==
              tolerated);
    }
}

TEST_CASE("TaintToleration: refuses for taints that keep pods away") {
    plugin_world world;
    world.node("free")
        .node("gpu", {}, tainted(R"({"key":"gpu","value":"yes","effect":"NoSchedule"})"))
        .node("ill", {}, tainted(R"({"key":"ill","effect":"NoExecute"})"))
        .node("soft", {}, tainted(soft("old")))
        .node("two", {},
              tainted(R"({"key":"gpu","value":"yes","effect":"NoSchedule"},{"key":"ill","effect":"NoExecute"})"));
    const std::string no = " !node(s) had untolerated taint(s)";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "free ok, gpu" + no + ", ill" + no + ", soft ok, two" + no},
        {R"({"key":"gpu","value":"yes"})", "free ok, gpu ok, ill" + no + ", soft ok, two" + no},
        {R"({"key":"gpu","value":"no"})", "free ok, gpu" + no + ", ill" + no + ", soft ok, two" + no},
        {R"({"operator":"Exists"})", "free ok, gpu ok, ill ok, soft ok, two ok"},
        {R"({"operator":"Exists","effect":"NoExecute"})", "free ok, gpu" + no + ", ill ok, soft ok, two" + no},
    };
    for (const auto& each : rows) {
        const auto& tolerations = each.first;
        const auto& expected = each.second;
        CAPTURE(tolerations);
        CHECK(filtered(scheduling::taint_toleration(), world, pod_of("p", tolerating(tolerations))) == expected);
    }
}

TEST_CASE("TaintToleration: scores by taints that are not preferred") {
    plugin_world world;
    world.node("none")
        .node("one", {}, tainted(soft("a")))
        .node("three", {}, tainted(soft("a") + "," + soft("b") + "," + soft("c")))
        .node("hard", {}, tainted(R"({"key":"a","effect":"NoSchedule"})"));
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "hard 100, none 100, one 67, three 0"},  // 100 * 1 / 3 is 33
        {R"({"key":"a","operator":"Exists"})", "hard 100, none 100, one 100, three 0"},
        {R"({"key":"a","operator":"Exists","effect":"NoSchedule"})", "hard 100, none 100, one 67, three 0"},
        {R"({"operator":"Exists","effect":"PreferNoSchedule"})", "hard 100, none 100, one 100, three 100"},
    };
    for (const auto& each : rows) {
        const auto& tolerations = each.first;
        const auto& expected = each.second;
        CAPTURE(tolerations);
        CHECK(scored(scheduling::taint_toleration(), world, pod_of("p", tolerating(tolerations))) == expected);
    }
}

TEST_CASE("NodeUnschedulable: a cordoned node takes pods that tolerate it") {
    plugin_world world;
    world.node("free").node("shut", {}, R"({"unschedulable":true})");
    const std::string refused = "free ok, shut !node(s) were unschedulable";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", refused},
        {R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists"})", "free ok, shut ok"},
        {R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoSchedule"})", "free ok, shut ok"},
        {R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoExecute"})", refused},
        {R"({"key":"other","operator":"Exists"})", refused},
    };
    for (const auto& each : rows) {
        const auto& tolerations = each.first;
        const auto& expected = each.second;
        CAPTURE(tolerations);
        CHECK(filtered(scheduling::node_unschedulable(), world, pod_of("p", tolerating(tolerations))) == expected);
    }
}

TEST_CASE("NodeName: only the node that the pod names") {
    plugin_world world;
    world.node("a").node("b");
    CHECK(filtered(scheduling::node_name(), world, pod_of("p", R"({"containers":[]})")) == "a ok, b ok");
    CHECK(filtered(scheduling::node_name(), world, pod_of("p", R"({"containers":[],"nodeName":"b"})")) ==
          "a !node(s) didn't match the requested node name, b ok");
}

TEST_CASE("an event of a node wakes only pods that the node would not refuse for that reason") {
    const auto seen = [](const char* labels, const char* spec) {
        return scheduling::cluster_event{
            {scheduling::interned_name("Node"), scheduling::event_actions::add},
            any_object(),
            any_object(object_of<core::node>(std::string(R"({"metadata":{"name":"n","labels":)") + labels +
                                             R"(},"spec":)" + spec + "}"))};
    };
    const auto plain = pod_of("p", R"({"containers":[]})");
    const auto hardy = pod_of("h", tolerating(R"({"operator":"Exists"})"));
    const auto hard = seen("{}", R"({"taints":[{"key":"a","effect":"NoSchedule"}]})");
    const auto preferred = seen("{}", R"({"taints":[{"key":"a","effect":"PreferNoSchedule"}]})");
    const auto cordoned = seen("{}", R"({"unschedulable":true})");
    const scheduling::cluster_event of_pod{
        {scheduling::interned_name("Pod"), scheduling::event_actions::update_pod_toleration},
        any_object(plain->shared_pod()),
        any_object(plain->shared_pod())};
    const scheduling::taint_toleration taints;
    CHECK_FALSE(taints.may_help(*plain, hard));
    CHECK(taints.may_help(*hardy, hard));
    CHECK(taints.may_help(*plain, preferred));
    CHECK(taints.may_help(*plain, cordoned));
    CHECK(taints.may_help(*plain, of_pod));
    const scheduling::node_unschedulable cordons;
    CHECK_FALSE(cordons.may_help(*plain, cordoned));
    CHECK(cordons.may_help(*hardy, cordoned));
    CHECK(cordons.may_help(*plain, hard));
    CHECK(cordons.may_help(*plain, of_pod));
    const auto choosy = pod_of("c", R"({"containers":[],"nodeSelector":{"disk":"ssd"}})");
    const scheduling::node_affinity affinity;
    CHECK(affinity.may_help(*choosy, seen(R"({"disk":"ssd"})", "{}")));
    CHECK_FALSE(affinity.may_help(*choosy, seen(R"({"disk":"hdd"})", "{}")));
    CHECK(affinity.may_help(*plain, hard));
    CHECK(affinity.may_help(*choosy, of_pod));
}
