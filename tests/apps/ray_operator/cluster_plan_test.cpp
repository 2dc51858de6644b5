// What is to be done for a cluster, as tables; each with the number of the issue of KubeRay that it is about.
#include "support.hpp"

#include <algorithm>

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

const ray_cluster of_two = cluster_with(group("a", R"("replicas":2,"minReplicas":0,"maxReplicas":5)"));
const ray_cluster scaled =
    cluster_with(group("a", R"("replicas":2,"minReplicas":0,"maxReplicas":5)"), R"("enableInTreeAutoscaling":true)");
const ray_cluster of_hosts = cluster_with(group("a", R"("replicas":2,"numOfHosts":2)"));

ray_cluster naming(const std::string& names, bool scales = false, int replicas = 2) {
    auto out = cluster_with(group("a", R"("replicas":)" + std::to_string(replicas) +
                                           R"(,"scaleStrategy":{"workersToDelete":[)" + names + "]}") +
                                "," + group("b", R"("replicas":1)"),
                            scales ? R"("enableInTreeAutoscaling":true)" : "");
    return out;
}

}  // namespace

TEST_CASE("pods are made until there are as many as wanted, and then nothing is done") {
    CHECK(decided(of_two, {}) == "create head, create a*2");
    CHECK(decided(of_two, {pending(head())}) == "create a*2");
    CHECK(decided(of_two, {head(), pending(worker("w1"))}) == "create a");
    CHECK(decided(of_two, {head(), worker("w1"), pending(worker("w2"))}) == "");
    CHECK(decided(cluster_with(group("a", R"("minReplicas":3)")), {head()}) == "create a*3");
    CHECK(decided(cluster_with(group("a", R"("replicas":1,"minReplicas":3)")), {head()}) == "create a*3");
    CHECK(decided(cluster_with(group("a", "")), {head()}) == "");
    CHECK(decided(cluster_with(group("a", R"("replicas":120)")), {head()}) == "create a*50, more");
}

TEST_CASE("a pod counts until it has ended, its time is up, or its node is lost") {
    CHECK(decided(of_two, {head(), worker("w1"), ended(worker("w2"))}) == "create a, remove w2 (its phase is Failed)");
    // Once: it is going already.
    CHECK(decided(of_two, {head(), worker("w1"), going(ended(worker("w2")), 31)}) == "create a, again in 30 s");
    CHECK(decided(of_two, {head(), worker("w1"), going(worker("w2"), 31)}) == "again in 30 s");
    CHECK(decided(of_two, {head(), worker("w1"), going(worker("w2"), 1)}) == "create a");
    CHECK(decided(of_two, {ended(head()), worker("w1"), worker("w2")}) ==
          "create head, remove h (its phase is Failed)");
    CHECK(decided(of_two, {head(), head("h2"), worker("w1"), worker("w2")}) == "");
    CHECK(decided(of_two, {lost(head(), 60), worker("w1"), worker("w2")}, 59) == "again in 1 s");
    // With its object: a node that comes back shows no second head.
    CHECK(decided(of_two, {lost(head(), 60), worker("w1"), worker("w2")}, 60) ==
          "create head, remove h at once (its node is lost)");
    CHECK(decided(of_two, {going(lost(head(), 60), 61), worker("w1"), worker("w2")}, 61) == "create head");
    CHECK(decided(of_two, {ended(lost(head())), worker("w1"), worker("w2")}) ==
          "create head, remove h at once (its phase is Failed)");
}

TEST_CASE("#4078: a pod that hangs on a dead node is replaced") {
    CHECK(decided(of_two, {head(), worker("w1"), going(lost(worker("w2")), 600)}, 100) ==
          "create a, remove w2 at once (its node is lost), again in 500 s");
    CHECK(decided(of_two, {head(), worker("w1"), going(lost(worker("w2"), 200), 600)}, 100) == "again in 100 s");
    // Its finalizers keep the object: it was deleted, and counts no more.
    CHECK(decided(of_two, {head(), worker("w1"), going(lost(worker("w2")), 101)}, 101) == "create a");
    CHECK(decided(of_two, {head(), worker("w1"), going(lost(worker("w2")), 101), worker("w3")}, 102) == "");
}

TEST_CASE(
    "#1936, #3286: a smaller number deletes exactly the surplus, those that are not ready and the youngest first") {
    const ray_cluster of_one = cluster_with(group("a", R"("replicas":1)"));
    CHECK(decided(of_one, {head(), worker("w1", "a", 1), worker("w2", "a", 3), worker("w3", "a", 2)}) ==
          "remove w2 (it is surplus), remove w3 (it is surplus)");
    CHECK(decided(of_one, {head(), pending(worker("w1", "a", 1)), worker("w2", "a", 3)}) ==
          "remove w1 (it is surplus)");
    // What is going is none of those that stay.
    CHECK(decided(of_one, {head(), worker("w1"), going(worker("w2"), 30)}) == "again in 29 s");
    CHECK(decided(of_one, {head(), going(worker("w1"), 30), going(worker("w2"), 30)}) == "again in 29 s");
}

TEST_CASE("#560, #865: while pods are going there are never more than maxReplicas") {
    const auto c = cluster_with(group("a", R"("replicas":9,"maxReplicas":2)"));
    CHECK(decided(c, {head(), worker("w1"), going(worker("w2"), 30)}) == "again in 29 s");
    CHECK(decided(c, {head(), worker("w1")}) == "create a");
    CHECK(decided(c, {head(), worker("w1"), worker("w2")}, 1, false) == "note ReplicasLimited");
    CHECK(decided(c, {head(), worker("w1"), worker("w2")}) == "");
}

TEST_CASE("workersToDelete: these go, each once, and no others in their place") {
    const std::vector<pod_fact> pods = {head(), worker("w1"), worker("w2"), worker("w3"), worker("x", "b")};
    CHECK(decided(naming(R"("w1")", true), pods) == "remove w1 (workersToDelete names it)");
    CHECK(decided(naming(R"("w1","w1")"), pods) == "remove w1 (workersToDelete names it)");
    CHECK(decided(naming(R"("gone")", true), pods) == "");
    CHECK(decided(naming(R"("w1")", true), {head(), going(worker("w1"), 30), worker("w2"), worker("x", "b")}) ==
          "again in 29 s");
    // It is named by the wrong group.
    CHECK(decided(naming(R"("x","h")", true), pods, 1, false) ==
          "note WorkerToDeleteIgnored, note WorkerToDeleteIgnored");
    CHECK(decided(naming(R"("x")", true), pods) == "");
    // The named one is gone, and the number is as before: another one takes its place.
    CHECK(decided(naming(R"("w1")"), {head(), worker("w2"), worker("x", "b")}) == "create a");
}

TEST_CASE("with the autoscaler nothing but what it names is deleted for a smaller number") {
    CHECK(decided(scaled, {head(), worker("w1"), worker("w2"), worker("w3")}) == "");
    CHECK(decided(scaled, {head(), worker("w1"), worker("w2"), ended(worker("w3"))}) ==
          "remove w3 (its phase is Failed)");
    CHECK(decided(scaled, {head(), worker("w1"), worker("w2"), worker("w3"), worker("other", "z")}) == "");
    CHECK(decided(of_two, {head(), worker("w1"), worker("w2"), worker("other", "z")}) ==
          "remove other (its group is not in the specification)");
}

TEST_CASE("#2084: numOfHosts that is absent or 0 is 1") {
    for (const char* hosts : {R"("replicas":2)", R"("replicas":2,"numOfHosts":0)", R"("replicas":2,"numOfHosts":1)"})
        CHECK(decided(cluster_with(group("a", hosts)), {head(), worker("w1"), worker("w2")}) == "");
}

TEST_CASE("#2044, #3274: the hosts of a replica are made and deleted together") {
    const auto one = [](const char* name, std::int32_t n) { return host(worker(name), "a-1", 0, n); };
    const auto two = [](const char* name, std::int32_t n) { return host(worker(name), "a-2", 1, n); };
    CHECK(decided(of_hosts, {head()}) == "create a[0]*2, create a[1]*2");
    CHECK(decided(of_hosts, {head(), one("w1", 0), one("w2", 1), two("w3", 0), two("w4", 1)}) == "");
    CHECK(decided(of_hosts, {head(), two("w3", 0), two("w4", 1)}) == "create a[0]*2");
    CHECK(decided(of_hosts, {head(), one("w1", 0), ended(one("w2", 1)), two("w3", 0), two("w4", 1)}) ==
          "remove w1 (its phase is Failed), remove w2 (its phase is Failed)");
    CHECK(decided(of_hosts, {head(), one("w1", 0), two("w3", 0), two("w4", 1)}) ==
          "remove w1 (another host of its replica is gone)");
    CHECK(decided(of_hosts, {head(), one("w1", 0), going(one("w2", 1), 30), two("w3", 0), two("w4", 1)}) ==
          "remove w1 (another host of its replica is gone), again in 29 s");
    // One whose creation was interrupted is completed.
    CHECK(decided(of_hosts, {head(), pending(one("w1", 0)), two("w3", 0), two("w4", 1)}) == "create a[0]");
    // By another operator, which does not name replicas.
    CHECK(decided(of_hosts, {head(), worker("w1"), worker("w2"), worker("w3"), worker("w4")}) == "");
    const auto fewer = cluster_with(group("a", R"("replicas":1,"numOfHosts":2)"));
    CHECK(decided(fewer, {head(), one("w1", 0), one("w2", 1), two("w3", 0), two("w4", 1)}) ==
          "remove w1 (it is surplus), remove w2 (it is surplus)");
    const auto named =
        cluster_with(group("a", R"("replicas":1,"numOfHosts":2,"scaleStrategy":{"workersToDelete":["w4"]})"),
                     R"("enableInTreeAutoscaling":true)");
    CHECK(decided(named, {head(), one("w1", 0), one("w2", 1), two("w3", 0), two("w4", 1)}) ==
          "remove w3 (workersToDelete names it), remove w4 (workersToDelete names it)");
}

TEST_CASE("suspension deletes all, and makes none until it is over") {
    const auto asked = cluster_with(group("a", R"("replicas":2)"), R"("suspend":true)");
    CHECK(decided(asked, {head(), worker("w1"), worker("w2")}) == "");
    CHECK(decided(in(asked, {"RayClusterSuspending"}), {head(), going(worker("w1"), 30), worker("w2")}) ==
          "remove h (the cluster is suspended), remove w2 (the cluster is suspended), again in 29 s");
    CHECK(decided(in(of_two, {"RayClusterSuspending"}), {head()}) == "remove h (the cluster is suspended)");
    CHECK(decided(in(of_two, {"RayClusterSuspending"}), {}) == "");
    CHECK(decided(in(asked, {"RayClusterSuspended"}), {}) == "");
    CHECK(decided(in(of_two, {"RayClusterSuspended"}), {}) == "");
    CHECK(decided(cluster_with(group("a", R"("replicas":2,"suspend":true)")), {head(), worker("w1")}) ==
          "remove w1 (its group is suspended)");
}

TEST_CASE("a changed template is told, and with Recreate all pods are replaced") {
    const auto dated = [](pod_fact p) { return p.digest = "older", p; };
    CHECK(decided(of_two, {dated(head()), worker("w1"), worker("w2")}, 1, false) == "note TemplateChangeIgnored");
    CHECK(decided(of_two, {dated(head()), worker("w1"), worker("w2")}) == "");
    auto c = of_two;
    c.spec.upgrade_strategy.edit().type = "Recreate";
    CHECK(decided(c, {dated(head()), worker("w1"), worker("w2")}) ==
          "remove h (a template has changed), remove w1 (a template has changed), remove w2 (a template has changed)");
    CHECK(decided(c, {going(dated(head()), 30), going(worker("w1"), 30)}) == "again in 29 s");
    pod_fact current = head();
    current.digest = template_digest(c.spec.head_group_spec.template_, c.spec.head_group_spec.ray_start_params);
    CHECK(decided(c, {current, worker("w1"), worker("w2")}) == "");
}

TEST_CASE("a RayJob's cluster that had been provisioned gets no other head") {
    auto c = in(of_two, {"RayClusterProvisioned"});
    CHECK(decided(c, {worker("w1"), worker("w2")}) == "create head");
    c.metadata.labels["ray.io/originated-from-crd"] = "RayJob";
    CHECK(decided(c, {worker("w1"), worker("w2")}) == "");
}

TEST_CASE("names follow from what is there: the same decision makes the same pods, another one others") {
    const auto names = [](const ray_cluster& c, std::vector<pod_fact> pods) {
        std::vector<std::string> out;
        for (const auto& each : decide(c, facts(std::move(pods)), after(1)).create) out.push_back(each.name);
        return out;
    };
    const auto first = names(of_two, {});
    REQUIRE(first.size() == 3);
    CHECK(first[0].starts_with("small-head-"));
    CHECK(first[1].starts_with("small-a-worker-"));
    CHECK(first[1] != first[2]);
    CHECK(names(of_two, {}) == first);
    auto later = of_two;
    later.metadata.generation = 2;
    CHECK(names(later, {}) != first);
    // None that is to be deleted, and none that is there.
    auto named = of_two;
    named.spec.worker_group_specs[0].scale_strategy.edit().workers_to_delete = {first[1]};
    CHECK(std::ranges::count(names(named, {}), first[1]) == 0);
}
