// InterPodAffinity.
#include <kcontrol/scheduling/inter_pod_affinity.hpp>

#include "scheduling/plugin_world.hpp"

#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::inter_pod_affinity;
using scheduling::inter_pod_affinity_options;

namespace {

const std::string web = R"({"app":"web"})", db = R"({"app":"db"})";

std::string term(const std::string& app, const std::string& key = "zone", const std::string& more = {}) {
    return R"({"topologyKey":")" + key + R"(","labelSelector":{"matchLabels":{"app":")" + app + R"("}})" + more + "}";
}

std::string weighed(int weight, const std::string& of) {
    return R"({"weight":)" + std::to_string(weight) + R"(,"podAffinityTerm":)" + of + "}";
}

// A part of an affinity: "podAffinity" or "podAntiAffinity".
std::string part(const std::string& name, const std::string& required, const std::string& preferred = {}) {
    return '"' + name + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + required +
           R"(],"preferredDuringSchedulingIgnoredDuringExecution":[)" + preferred + "]}";
}

std::string spec_of(const std::string& parts) { return R"({"containers":[],"affinity":{)" + parts + "}}"; }
std::string near(const std::string& terms) { return spec_of(part("podAffinity", terms)); }
std::string apart(const std::string& terms) { return spec_of(part("podAntiAffinity", terms)); }

plugin_world& zones(plugin_world& world) {
    return world.node("n1", R"("zone":"a")").node("n2", R"("zone":"a")").node("n3", R"("zone":"b")").node("n4");
}

const std::string not_near = " !node(s) didn't match pod affinity rules";
const std::string not_apart = " -node(s) didn't match pod anti-affinity rules";
const std::string against = " -node(s) didn't satisfy existing pods anti-affinity rules";

}  // namespace

TEST_CASE("InterPodAffinity: required terms of the pod") {
    plugin_world world;
    zones(world)
        .pod("n1", "db", db)
        .pod("n3", "cache", R"({"app":"cache"})")
        .pod("n3", "team-x/queue", R"({"app":"queue"})")
        .namespace_("team-x", R"({"team":"x"})")
        .namespace_("default", "{}");
    const std::string in_a = "n1 ok, n2 ok, n3" + not_near + ", n4" + not_near;
    const std::string in_b = "n1" + not_near + ", n2" + not_near + ", n3 ok, n4" + not_near;
    const std::string nowhere = "n1" + not_near + ", n2" + not_near + ", n3" + not_near + ", n4" + not_near;
    const std::string not_a = "n1" + not_apart + ", n2" + not_apart + ", n3 ok, n4 ok";
    const std::string not_b = "n1 ok, n2 ok, n3" + not_apart + ", n4 ok";
    const std::string all = "n1 ok, n2 ok, n3 ok, n4 ok";
    const std::vector<std::pair<std::string, std::string>> rows = {
        {R"({"containers":[]})", "all skip"},
        {near(term("db")), in_a},
        {near(term("cache")), in_b},
        {near(term("db", "kubernetes.io/hostname")), "n1 ok, n2" + not_near + ", n3" + not_near + ", n4" + not_near},
        // One pod must be selected by all terms.
        {near(term("db") + "," + term("cache")), nowhere},
        {near(term("db") + "," + term("db", "kubernetes.io/hostname")),
         "n1 ok, n2" + not_near + ", n3" + not_near + ", n4" + not_near},
        {near(term("nothing")), nowhere},
        // The first of its kind goes anywhere where there is a zone.
        {near(term("web")), "n1 ok, n2 ok, n3 ok, n4" + not_near},
        {near(term("web") + "," + term("nothing")), nowhere},
        {near(term("web", "rack")), nowhere},
        {near(term("queue")), nowhere},
        {near(term("queue", "zone", R"(,"namespaces":["team-x"])")), in_b},
        {near(term("db", "zone", R"(,"namespaces":["team-x"])")), nowhere},
        {near(term("queue", "zone", R"(,"namespaceSelector":{})")), in_b},
        {near(term("db", "zone", R"(,"namespaceSelector":{})")), in_a},
        {near(term("queue", "zone", R"(,"namespaceSelector":{"matchLabels":{"team":"x"}})")), in_b},
        {near(term("queue", "zone", R"(,"namespaceSelector":{"matchLabels":{"team":"y"}})")), nowhere},
        {near(term("db", "zone", R"(,"namespaceSelector":{"matchLabels":{"team":"x"}})")), nowhere},
        {apart(term("db")), not_a},
        {apart(term("cache")), not_b},
        {apart(term("web")), all},
        {apart(term("db", "rack")), all},
        {apart(term("db", "kubernetes.io/hostname") + "," + term("cache")),
         "n1" + not_apart + ", n2 ok, n3" + not_apart + ", n4 ok"},
        {apart(term("queue")), all},
        {apart(term("queue", "zone", R"(,"namespaces":["default","team-x"])")), not_b},
        {spec_of(part("podAffinity", term("db")) + "," + part("podAntiAffinity", term("db", "kubernetes.io/hostname"))),
         "n1" + not_apart + ", n2 ok, n3" + not_near + ", n4" + not_near},
    };
    for (const auto& each : rows) {
        const auto& spec = each.first;
        const auto& expected = each.second;
        CAPTURE(spec);
        CHECK(filtered(inter_pod_affinity(), world, pod_of("p", spec, web)) == expected);
    }
}

TEST_CASE("InterPodAffinity: only the first of its kind goes anywhere") {
    plugin_world world;
    zones(world).pod("n3", "web", web);
    CHECK(filtered(inter_pod_affinity(), world, pod_of("p", near(term("web")), web)) ==
          "n1" + not_near + ", n2" + not_near + ", n3 ok, n4" + not_near);
    // A pod on a node without the label is near nobody.
    plugin_world other;
    zones(other).pod("n4", "web", web);
    CHECK(filtered(inter_pod_affinity(), other, pod_of("p", near(term("web")), web)) ==
          "n1 ok, n2 ok, n3 ok, n4" + not_near);
}

TEST_CASE("InterPodAffinity: pods that keep the pod away") {
    const std::string all = "n1 ok, n2 ok, n3 ok, n4 ok";
    const std::string not_a = "n1" + against + ", n2" + against + ", n3 ok, n4 ok";
    struct row {
        std::string guard, expected, pod = "p";
    };
    const std::vector<row> rows = {
        {apart(term("web")), not_a},
        {apart(term("db")), "all skip"},
        {apart(term("web", "kubernetes.io/hostname")), "n1" + against + ", n2 ok, n3 ok, n4 ok"},
        // The label is on no node, so that nothing is counted.
        {apart(term("web", "rack")), "all skip"},
        {near(term("web")), "all skip"},
        {apart(term("web")), "all skip", "team-x/p"},
        {apart(term("web", "zone", R"(,"namespaces":["team-x"])")), not_a, "team-x/p"},
        {apart(term("web", "zone", R"(,"namespaceSelector":{"matchLabels":{"team":"x"}})")), not_a, "team-x/p"},
        {apart(term("web", "zone", R"(,"namespaceSelector":{"matchLabels":{"team":"x"}})")), "all skip"},
    };
    for (const auto& each : rows) {
        const auto& guard = each.guard;
        const auto& expected = each.expected;
        const auto& pod = each.pod;
        CAPTURE(guard);
        CAPTURE(pod);
        plugin_world world;
        zones(world)
            .pod("n1", "guard", "{}", guard)
            .namespace_("team-x", R"({"team":"x"})")
            .namespace_("default", "{}");
        CHECK(filtered(inter_pod_affinity(), world, pod_of(pod, R"({"containers":[]})", web)) == expected);
    }
}

TEST_CASE("InterPodAffinity: a state follows pods that come and go as a new one counts them") {
    const inter_pod_affinity plugin;
    const std::vector<std::string> specs = {
        near(term("web")),
        near(term("web", "zone", R"(,"namespaces":["default","default"])")),
        near(term("db") + "," + term("db", "kubernetes.io/hostname")),
        apart(term("db") + "," + term("web", "kubernetes.io/hostname")),
        spec_of(part("podAffinity", term("web")) + "," + part("podAntiAffinity", term("db"))),
    };
    const auto make = [](std::mt19937& random, const std::string& on) {
        const std::string guard = R"("podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
                                  term(random() % 2 == 0 ? "web" : "cache") + "]}";
        const std::string spec =
            R"({"nodeName":")" + on + R"(","affinity":{)" + (random() % 4 == 0 ? guard : std::string()) + "}}";
        return std::pair(spec, random() % 2 == 0 ? web : db);
    };
    for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        check_follows(plugin, seed, pod_of("p", specs[seed % specs.size()], web),
                      pod_of("first", R"({"nodeName":"n0"})", web), make);
    }
}

TEST_CASE("InterPodAffinity: scores by preferred terms of the pod and of others") {
    const std::string none = R"({"containers":[]})";
    const auto liking = [](const std::string& terms) { return spec_of(part("podAffinity", "", terms)); };
    const auto avoiding = [](const std::string& terms) { return spec_of(part("podAntiAffinity", "", terms)); };
    struct row {
        std::string spec, other, expected;  // the other is a db on n1
    };
    const std::vector<row> rows = {
        {none, none, "skip"},
        {liking(weighed(5, term("db"))), none, "n1 100, n2 100, n3 0, n4 0"},
        {avoiding(weighed(5, term("db"))), none, "n1 0, n2 0, n3 100, n4 100"},
        {liking(weighed(5, term("nothing"))), none, "skip"},
        {liking(weighed(3, term("db")) + "," + weighed(4, term("db", "kubernetes.io/hostname"))), none,
         "n1 100, n2 42, n3 0, n4 0"},  // 7 and 3
        {liking(weighed(5, term("db")) + "," + weighed(5, term("db"))), none, "n1 100, n2 100, n3 0, n4 0"},
        // Terms that cancel each other out are terms.
        {spec_of(part("podAffinity", "", weighed(5, term("db"))) + "," +
                 part("podAntiAffinity", "", weighed(5, term("db")))),
         none, "n1 0, n2 0, n3 0, n4 0"},
        {none, near(term("web")), "n1 100, n2 100, n3 0, n4 0"},
        {none, liking(weighed(1, term("web"))), "n1 100, n2 100, n3 0, n4 0"},
        {none, avoiding(weighed(1, term("web", "kubernetes.io/hostname"))), "n1 0, n2 100, n3 100, n4 100"},
        {none, avoiding(weighed(1, term("cache"))), "skip"},
        // 4 for the host, and 1 from what the other requires in the zone.
        {liking(weighed(4, term("db", "kubernetes.io/hostname"))), near(term("web")), "n1 100, n2 20, n3 0, n4 0"},
    };
    for (const auto& each : rows) {
        const auto& spec = each.spec;
        const auto& other = each.other;
        const auto& expected = each.expected;
        CAPTURE(spec);
        CAPTURE(other);
        plugin_world world;
        zones(world).pod("n1", "db", db, other);
        CHECK(scored(inter_pod_affinity(), world, pod_of("p", spec, web)) == expected);
    }
}

TEST_CASE("InterPodAffinity: the options of its scores") {
    plugin_world world;
    zones(world)
        .pod("n1", "one", db, near(term("web")))
        .pod("n3", "two", db, spec_of(part("podAffinity", "", weighed(2, term("web")))));
    const auto pod = pod_of("p", R"({"containers":[]})", web);
    CHECK(scored(inter_pod_affinity(), world, pod) == "n1 50, n2 50, n3 100, n4 0");
    inter_pod_affinity_options options;
    options.hard_pod_affinity_weight(0);
    CHECK(scored(inter_pod_affinity(options), world, pod) == "n1 0, n2 0, n3 100, n4 0");
    options.hard_pod_affinity_weight(8);
    CHECK(scored(inter_pod_affinity(options), world, pod) == "n1 100, n2 100, n3 25, n4 0");
    options.ignore_preferred_terms_of_existing_pods(true);
    CHECK(scored(inter_pod_affinity(options), world, pod) == "skip");
}
