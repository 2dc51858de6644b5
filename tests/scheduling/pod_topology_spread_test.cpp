// PodTopologySpread.
#include <kcontrol/scheduling/pod_topology_spread.hpp>

#include "scheduling/plugin_world.hpp"

#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::pod_topology_spread;
using scheduling::pod_topology_spread_options;

namespace {

const std::string web = R"({"app":"web"})";

std::string rule(const std::string& key, int skew, const std::string& more = {}, const std::string& app = "web") {
    return R"({"topologyKey":")" + key + R"(","maxSkew":)" + std::to_string(skew) +
           R"(,"labelSelector":{"matchLabels":{"app":")" + app + R"("}})" +
           (more.find("whenUnsatisfiable") == more.npos ? R"(,"whenUnsatisfiable":"DoNotSchedule")" : "") + more + "}";
}

std::string soft(const std::string& key, int skew, const std::string& more = {}) {
    return rule(key, skew, R"(,"whenUnsatisfiable":"ScheduleAnyway")" + more);
}

std::string spread(const std::string& rules, const std::string& more = {}) {
    return R"({"containers":[],"topologySpreadConstraints":[)" + rules + "]" + more + "}";
}

// Two pods of web in zone a, one in zone b; a node without a zone.
plugin_world& zones(plugin_world& world) {
    return world.node("n1", R"("zone":"a")")
        .node("n2", R"("zone":"a")")
        .node("n3", R"("zone":"b")", R"({"taints":[{"key":"x","effect":"NoSchedule"}]})")
        .node("n4")
        .pod("n1", "one", web)
        .pod("n2", "two", web)
        .pod("n3", "three", web)
        .pod("n3", "db", R"({"app":"db"})")
        .pod("n3", "other/four", web);
}

const std::string uneven = " -node(s) didn't match pod topology spread constraints";
const std::string no_label = " !node(s) didn't match pod topology spread constraints (missing required label)";

}  // namespace

TEST_CASE("PodTopologySpread: refuses domains that have too many pods") {
    plugin_world world;
    zones(world);
    struct row {
        std::string spec, expected;
        std::string labels = web;
    };
    const std::string only_b = "n1" + uneven + ", n2" + uneven + ", n3 ok, n4" + no_label;
    const std::string both = "n1 ok, n2 ok, n3 ok, n4" + no_label;
    const std::string neither = "n1" + uneven + ", n2" + uneven + ", n3" + uneven + ", n4" + no_label;
    const std::vector<row> rows = {
        {R"({"containers":[]})", "all skip"},
        {spread(soft("zone", 1)), "all skip"},
        {spread(rule("zone", 1)), only_b},
        {spread(rule("zone", 2)), both},
        // The pod itself is not one of those that are counted.
        {spread(rule("zone", 1)), both, R"({"app":"db"})"},
        {spread(rule("zone", 2, R"(,"minDomains":3)")), only_b},
        {spread(rule("zone", 1, R"(,"minDomains":3)")), neither},
        {spread(rule("zone", 1, R"(,"minDomains":2)")), only_b},
        // No pod is counted.
        {spread(R"({"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{}})"), both},
        {spread(R"({"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"})"), both},
        {spread(rule("rack", 1)), "n1" + no_label + ", n2" + no_label + ", n3" + no_label + ", n4" + no_label},
        // Only zone b counts: zone a is as good as empty.
        {spread(rule("zone", 1), R"(,"nodeSelector":{"zone":"b"})"), both},
        {spread(rule("zone", 1, R"(,"nodeAffinityPolicy":"Ignore")"), R"(,"nodeSelector":{"zone":"b"})"), only_b},
        // Zone b does not count, as the pod does not tolerate it.
        {spread(rule("zone", 1, R"(,"nodeTaintsPolicy":"Honor")")), both},
        {spread(rule("zone", 1, R"(,"nodeTaintsPolicy":"Honor")"), R"(,"tolerations":[{"operator":"Exists"}])"),
         only_b},
        // n4 has no zone, so its emptiness is of no use.
        {spread(rule("kubernetes.io/hostname", 1)), "n1" + uneven + ", n2" + uneven + ", n3" + uneven + ", n4 ok"},
        {spread(rule("kubernetes.io/hostname", 1) + "," + rule("zone", 5)), both},
        {spread(rule("zone", 2) + "," + rule("zone", 1, {}, "db")), both},
        {spread(rule("zone", 1) + "," + soft("rack", 1)), only_b},
    };
    for (const auto& each : rows) {
        const auto& spec = each.spec;
        const auto& expected = each.expected;
        const auto& labels = each.labels;
        CAPTURE(spec);
        CAPTURE(labels);
        CHECK(filtered(pod_topology_spread(), world, pod_of("p", spec, labels)) == expected);
    }
}

TEST_CASE("PodTopologySpread: a pod that is being deleted is not counted") {
    plugin_world world;
    zones(world);
    world.put(std::make_shared<const scheduling::pod_info>(object_of<core::pod>(
        R"({"metadata":{"namespace":"default","name":"two","uid":"uid-two","labels":{"app":"web"},
            "deletionTimestamp":"2026-01-02T03:04:05Z"},"spec":{"nodeName":"n2"}})")));
    CHECK(filtered(pod_topology_spread(), world, pod_of("p", spread(rule("zone", 1)), web)) ==
          "n1 ok, n2 ok, n3 ok, n4" + no_label);
}

TEST_CASE("PodTopologySpread: a state follows pods that come and go as a new one counts them") {
    const auto pod = pod_of("p", spread(rule("zone", 1) + "," + rule("kubernetes.io/hostname", 2)), web);
    const pod_topology_spread plugin;
    const auto make = [](std::mt19937& random, const std::string& on) {
        return std::pair(R"({"nodeName":")" + on + R"("})", random() % 4 == 0 ? std::string("{}") : web);
    };
    for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        check_follows(plugin, seed, pod, nullptr, make);
    }
}

TEST_CASE("PodTopologySpread: domains with few pods are better") {
    plugin_world world;
    zones(world);
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"containers":[]})", "skip"},
        {spread(rule("zone", 1)), "skip"},
        // Two pods weigh 2.8, and one 1.4: 3 and 1.
        {spread(soft("zone", 1)), "n1 33, n2 33, n3 100, n4 0"},
        // A greater skew makes less of the difference: 7 and 5.
        {spread(soft("zone", 5)), "n1 71, n2 71, n3 100, n4 0"},
        // One pod on each of three nodes, which weighs 1.8.
        {spread(soft("kubernetes.io/hostname", 1)), "n1 0, n2 0, n3 0, n4 100"},
        {spread(soft("rack", 1)), "n1 0, n2 0, n3 0, n4 0"},
        // Pods in zone a are not counted.
        {spread(soft("zone", 1), R"(,"nodeSelector":{"zone":"b"})"), "n1 100, n2 100, n3 0, n4 0"},
        {spread(soft("zone", 1, R"(,"nodeTaintsPolicy":"Honor")")), "n1 0, n2 0, n3 100, n4 0"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(scored(pod_topology_spread(), world, pod_of("p", spec, web)) == expected);
    }
}

TEST_CASE("PodTopologySpread: constraints of pods that have none") {
    plugin_world world;
    const std::string zone = R"("topology.kubernetes.io/zone":")";
    world.node("n1", zone + "a\"")
        .node("n2", zone + "a\"")
        .node("n3", zone + "b\"")
        .node("n4")
        .pod("n1", "one", web)
        .pod("n1", "two", web)
        .pod("n2", "three", web)
        .pod("n2", "four", web)
        .pod("n3", "five", web);
    const auto pod = pod_of("p", R"({"containers":[]})", web);
    pod_topology_spread_options options;
    CHECK(scored(pod_topology_spread(options), world, pod) == "skip");
    options.default_selector([](const scheduling::pod_info&) { return label_selector(); });
    CHECK(scored(pod_topology_spread(options), world, pod) == "skip");
    options.default_selector([](const scheduling::pod_info&) { return *label_selector::parse("app=web"); });
    // Three zones, of which one is that of nodes without one: 16, 16, 9 and 2.
    CHECK(scored(pod_topology_spread(options), world, pod) == "n1 12, n2 12, n3 56, n4 100");
    CHECK(filtered(pod_topology_spread(options), world, pod) == "all skip");
    CHECK(scored(pod_topology_spread(options), world, pod_of("p", spread(soft("rack", 1)), web)) ==
          "n1 0, n2 0, n3 0, n4 0");
    scheduling::spread_constraint by_zone;
    by_zone.topology_key = scheduling::interned_name("topology.kubernetes.io/zone");
    options.default_constraints({by_zone});
    CHECK(filtered(pod_topology_spread(options), world, pod) ==
          "n1" + uneven + ", n2" + uneven + ", n3 ok, n4" + no_label);
    CHECK(scored(pod_topology_spread(options), world, pod) == "skip");
    // Of both sorts: what pre_filter took is there when pre_score took the others.
    scheduling::spread_constraint by_node;
    by_node.topology_key = scheduling::interned_name("kubernetes.io/hostname");
    by_node.is_required = false;
    options.default_constraints({by_zone, by_node});
    const pod_topology_spread both(options);
    plugin_round<pod_topology_spread> round(both, world, pod);
    const std::string before = round.filtered();
    CHECK(round.scored() == "n1 0, n2 0, n3 50, n4 100");
    CHECK(round.filtered() == before);
    // A node that pods name, and that is not known, has no labels.
    world.pod("gone", "lost", web);
    CHECK(filtered(both, world, pod) == before);
}
