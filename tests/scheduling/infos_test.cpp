// What is parsed of pods once, and what a node keeps of its pods.
#include <kcontrol/scheduling/topology.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::host_port;
using scheduling::interned_name;
using scheduling::node_info;
using scheduling::topology;

namespace {

const std::string affinity_spec = R"({"containers":[],"nodeSelector":{"disk":"ssd"},"affinity":{
    "nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":5,"preference":{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}},
        {"weight":0,"preference":{"matchExpressions":[{"key":"zone","operator":"Exists"}]}}]},
    "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"rack","labelSelector":{"matchLabels":{"app":"db"}}}]},
    "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"kubernetes.io/hostname","labelSelector":{},"namespaces":["b","a"]}],
      "preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":7,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"web"}},
            "namespaceSelector":{"matchLabels":{"team":"x"}}}}]}},
    "topologySpreadConstraints":[
        {"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"web"}},
         "matchLabelKeys":["version","absent"],"minDomains":3,"nodeTaintsPolicy":"Honor","nodeAffinityPolicy":"Ignore"},
        {"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]})";

object_meta meta_of(const std::string& ns, const std::string& app) {
    object_meta out;
    out.namespace_ = ns;
    out.labels["app"] = app;
    return out;
}

host_port port(std::int32_t number, const char* protocol = "TCP", const char* ip = "0.0.0.0") {
    return {number, text(protocol), text(ip)};
}

}  // namespace

TEST_CASE("pod_info: terms are parsed") {
    const auto pod = pod_of("team-a/web", affinity_spec, R"({"version":"7"})");
    REQUIRE(pod->invalid() == nullptr);
    const auto& terms = pod->terms();
    CHECK(pod->has_pod_affinity());
    CHECK(pod->has_required_anti_affinity());

    object_meta node;
    node.labels["disk"] = "ssd";
    CHECK(*terms.node_affinity.matches(node));
    node.labels["disk"] = "hdd";
    CHECK_FALSE(*terms.node_affinity.matches(node));
    REQUIRE(terms.preferred_nodes.size() == 1);  // one of weight 0 prefers nothing
    CHECK(terms.preferred_nodes[0].weight == 5);

    REQUIRE(terms.affinity.size() == 1);
    CHECK(terms.affinity[0].topology_key == "rack");
    CHECK(terms.affinity[0].matches(meta_of("team-a", "db"), nullptr));
    CHECK_FALSE(terms.affinity[0].matches(meta_of("team-a", "web"), nullptr));
    CHECK_FALSE(terms.affinity[0].matches(meta_of("team-b", "db"), nullptr));

    REQUIRE(terms.anti_affinity.size() == 1);
    CHECK(terms.anti_affinity[0].namespaces == std::vector<std::string>{"a", "b"});
    CHECK(terms.anti_affinity[0].matches(meta_of("b", "any"), nullptr));

    REQUIRE(terms.preferred_anti_affinity.size() == 1);
    const auto& preferred = terms.preferred_anti_affinity[0];
    CHECK(preferred.weight == 7);
    dict<text> labels;
    CHECK_FALSE(preferred.term.matches(meta_of("team-a", "web"), nullptr));
    CHECK_FALSE(preferred.term.matches(meta_of("team-a", "web"), &labels));
    labels["team"] = "x";
    CHECK(preferred.term.matches(meta_of("other", "web"), &labels));

    REQUIRE(terms.spread.size() == 2);
    CHECK_FALSE(terms.spread[0].is_required);
    CHECK(terms.spread[0].max_skew == 2);
    CHECK(terms.spread[0].min_domains == 3);
    CHECK(terms.spread[0].honors_taints);
    CHECK_FALSE(terms.spread[0].honors_affinity);
    CHECK(terms.spread[0].selector.to_string() == "app=web,version=7");
    CHECK(terms.spread[1].is_required);
    CHECK(terms.spread[1].min_domains == 1);
    CHECK_FALSE(terms.spread[1].honors_taints);
    CHECK(terms.spread[1].honors_affinity);
    CHECK_FALSE(terms.spread[1].selector.selects(meta_of("team-a", "web")));  // no selector selects no pod
}

TEST_CASE("pod_info: a pod without terms has none") {
    const auto pod = pod_of("web", R"({"containers":[],"affinity":{"podAffinity":{}}})");
    CHECK_FALSE(pod->has_pod_affinity());
    CHECK(pod->terms().affinity.empty());
    CHECK(*pod_of("web", R"({"containers":[]})")->terms().node_affinity.matches(object_meta()));
}

TEST_CASE("pod_info: a term that is wrong is refused with object and field") {
    const auto pod = pod_of("web", R"({"containers":[],"affinity":{"podAntiAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[
            {"topologyKey":"a","labelSelector":{"matchExpressions":[{"key":"k","operator":"Near"}]}},
            {"topologyKey":"b","labelSelector":{}}]}}})");
    REQUIRE(pod->invalid() != nullptr);
    const auto message = pod->invalid()->message();
    CAPTURE(message);
    CHECK(
        message.starts_with("pod default/web: spec.affinity.podAntiAffinity."
                            "requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: "));
    CHECK(message.find("Near") != std::string::npos);
    REQUIRE(pod->terms().anti_affinity.size() == 1);
    CHECK(pod->terms().anti_affinity[0].topology_key == "b");
}

TEST_CASE("pod_info: images as nodes report them, and ports of containers that run") {
    const auto pod = pod_of("web", R"({"initContainers":[
            {"name":"i","image":"setup","ports":[{"containerPort":1,"hostPort":1}]},
            {"name":"s","image":"proxy@sha256:ab","restartPolicy":"Always","ports":[{"containerPort":1,"hostPort":2,"protocol":"UDP"}]}],
        "containers":[{"name":"c","image":"reg:5000/web","ports":[{"containerPort":80},
            {"containerPort":80,"hostPort":80,"hostIP":"10.0.0.1"},{"containerPort":80,"hostPort":8}]}]})");
    REQUIRE(pod->images().size() == 3);
    CHECK(pod->images()[0] == "setup:latest");
    CHECK(pod->images()[1] == "proxy@sha256:ab");
    CHECK(pod->images()[2] == "reg:5000/web:latest");
    CHECK(pod->host_ports() == std::vector<host_port>{port(2, "UDP"), port(8), port(80, "TCP", "10.0.0.1")});
}

TEST_CASE("node_info: ports, of which two pods may have the same") {
    node_info node(node_of("n1", "{}"));
    const std::string spec =
        R"({"containers":[{"name":"c","image":"i","ports":[{"containerPort":1,"hostPort":80,"hostIP":"10.0.0.1"}]}]})";
    const auto a = pod_of("a", spec);
    const auto b = pod_of("b", spec);
    CHECK_FALSE(node.has_port_conflict(port(80)));
    node.add(*a);
    node.add(*b);
    CHECK(node.has_port_conflict(port(80)));
    CHECK(node.has_port_conflict(port(80, "TCP", "10.0.0.1")));
    CHECK_FALSE(node.has_port_conflict(port(80, "TCP", "10.0.0.2")));
    CHECK_FALSE(node.has_port_conflict(port(80, "UDP")));
    CHECK_FALSE(node.has_port_conflict(port(81)));
    node.remove(*a);
    CHECK(node.has_port_conflict(port(80)));  // b's
    node.remove(*b);
    CHECK(node.used_ports().empty());
}

TEST_CASE("node_info: a version for each change, which copies share until they change") {
    scheduling::node_info node(node_of("n1", "{}"));
    const auto first = node.version();
    auto copy = node;
    CHECK(copy.version() == first);
    const auto pod = pod_of("p", R"({"containers":[]})");
    copy.add(*pod);
    CHECK(copy.version() != first);
    node.add(*pod);
    CHECK(node.version() != first);
    CHECK(node.version() != copy.version());
    const auto with_pod = node.version();
    CHECK(node.remove(*pod));
    CHECK(node.version() != with_pod);
    const auto without = node.version();
    CHECK_FALSE(node.remove(*pod));
    CHECK(node.version() == without);
    node.set_node(node_of("n1", "{}"));
    CHECK(node.version() != without);
}

TEST_CASE("node_info: images by name, and pods with affinity") {
    node_info node(node_of("n1", "{}", "{}",
                           R"(,"images":[{"names":["web:1","web@sha256:1"],"sizeBytes":7},{"names":["db:2"]}])"));
    CHECK(node.image_size(interned_name("web@sha256:1")) == 7);
    CHECK(node.image_size(interned_name("db:2")) == 0);
    CHECK_FALSE(node.image_size(interned_name("web:2")).has_value());
    const auto with = pod_of("with", affinity_spec);
    const auto without = pod_of("without", R"({"containers":[]})");
    node.add(*without);
    node.add(*with);
    CHECK(node.pods().size() == 2);
    CHECK(node.pods_with_affinity().size() == 1);
    CHECK(node.pods_with_required_anti_affinity().size() == 1);
    node_info trial = node;  // a dry run
    CHECK(trial.remove(*with));
    CHECK(trial.pods_with_affinity().empty());
    CHECK(trial.pods_with_required_anti_affinity().empty());
    CHECK(node.pods_with_affinity().size() == 1);
}

TEST_CASE("topology: a domain for each value that nodes have") {
    topology zones{interned_name("zone")};
    node_info node(node_of("n1", "{}", R"({"zone":"a"})"));
    CHECK(zones.domain_of(node) == topology::none);
    zones.set(node);
    const auto a = zones.domain_of(node);
    CHECK(a == zones.find("a"));
    CHECK(zones.value(a) == "a");
    CHECK(zones.nodes_in(a) == 1);
    node.set_node(node_of("n1", "{}", R"({"zone":"b"})"));
    zones.set(node);
    CHECK(zones.find("a") == topology::none);
    CHECK(zones.live() == 1);
    CHECK(zones.size() == 1);  // the number of a domain that is gone is used again
    CHECK(zones.value(zones.domain_of(node)) == "b");
    node.set_node(node_of("n1", "{}", "{}"));
    zones.set(node);
    CHECK(zones.domain_of(node) == topology::none);
    CHECK(zones.live() == 0);
}
