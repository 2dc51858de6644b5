// Who must go so that a pod, or a gang, has a place.
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include "scheduling/objects.hpp"
#include "scheduling/plugin_world.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::disruption_budget;
using scheduling::interned_name;
using scheduling::status;

namespace {

using pod_pointer = std::shared_ptr<const scheduling::pod_info>;

// A pod with a priority that requests so many cores.
pod_pointer wanting(const std::string& name, int priority, int cores, const std::string& more = {}) {
    return pod_of(name, requesting(R"({"cpu":")" + std::to_string(cores) + R"("})",
                                   R"(,"priority":)" + std::to_string(priority) + more));
}

// Nodes with four cores, kube-scheduler's plugins, and what is evicted as text.
class preemption_world {
public:
    preemption_world() : plugins_(scheduling::default_profile("test", volumes_)) {}

    preemption_world& node(const std::string& name) {
        world_.node(name, R"("rack":")" + name + '"', "{}", R"({"allocatable":{"cpu":"4","pods":"110"}})");
        return *this;
    }
    // A pod that runs; `more` are further members of its spec, `labels` and `meta` of its metadata.
    preemption_world& runs(const std::string& on, const std::string& name, int priority, int cores,
                           const std::string& labels = "{}", const std::string& more = {},
                           const std::string& status = "{}") {
        world_.put(pod_of(name,
                          requesting(R"({"cpu":")" + std::to_string(cores) + R"("})",
                                     R"(,"nodeName":")" + on + R"(","priority":)" + std::to_string(priority) + more),
                          labels, status));
        return *this;
    }
    // A member of a gang that runs.
    preemption_world& member(const std::string& on, const std::string& name, int priority, const std::string& gang) {
        return runs(on, name, priority, 2, R"({"scheduling.kcontrol.dev/gang":")" + gang + R"("})");
    }
    preemption_world& budget(const std::string& app, int allowed, std::vector<std::string> disrupted = {}) {
        budgets_.push_back(
            {"default",
             label_selector::of(
                 from_json<api::meta::v1::label_selector>(R"({"matchLabels":{"app":")" + app + R"("}})").value())
                 .value(),
             allowed, std::move(disrupted)});
        policy_.budgets([this] { return budgets_; });
        return *this;
    }

    std::string plan(std::vector<pod_pointer> pods, int needed) {
        scheduling::cycle round(plugins_);
        last = scheduling::plan_preemption(round, world_.cache(), pods, needed, policy_, kept);
        std::string out;
        for (const auto& one : last.places) out.append(one.pod->name()).append("@").append(one.node).append(" ");
        std::set<std::string> victims;
        for (const auto& one : last.victims) victims.emplace(one->name());
        CHECK(victims.size() == last.victims.size());
        for (const auto& one : victims) out.append("-").append(one).append(" ");
        return out.empty() ? "nothing" : out.substr(0, out.size() - 1);
    }
    std::string plan(const pod_pointer& pod) { return plan(std::vector<pod_pointer>{pod}, 1); }

    scheduling::preemption_policy& policy() { return policy_; }
    scheduling::profile& plugins() { return plugins_; }
    plugin_world& cluster() { return world_; }

    scheduling::nominations kept;
    scheduling::preemption_plan last;

private:
    scheduling::volume_catalog volumes_;
    scheduling::profile plugins_;
    plugin_world world_;
    std::vector<disruption_budget> budgets_;
    scheduling::preemption_policy policy_;
};

}  // namespace

TEST_CASE("pods of lower priority go, and no more than necessary") {
    preemption_world world;
    world.node("n1").runs("n1", "a", 1, 1).runs("n1", "b", 2, 2).runs("n1", "c", 5, 1);
    CHECK(world.plan(wanting("web", 5, 1)) == "web@n1 -a");
    CHECK(world.plan(wanting("web", 5, 2)) == "web@n1 -b");
    CHECK(world.plan(wanting("web", 5, 3)) == "web@n1 -a -b");
    CHECK(world.plan(wanting("web", 5, 4)) == "nothing");
    CHECK(world.plan(wanting("web", 6, 4)) == "web@n1 -a -b -c");
    CHECK(world.last.places.at(0).against == 6);
    CHECK(world.plan(wanting("web", 1, 1)) == "nothing");
    CHECK(world.plan(wanting("web", 6, 1, R"(,"preemptionPolicy":"Never")")) == "nothing");
    CHECK(world.plan(wanting("web", 9, 5)) == "nothing");
}

TEST_CASE("the node with the lowest priorities and the fewest victims is taken") {
    preemption_world world;
    world.node("n1").node("n2").node("n3");
    world.runs("n1", "a", 3, 4).runs("n2", "b", 2, 2).runs("n2", "c", 2, 2).runs("n3", "d", 2, 4);
    CHECK(world.plan(wanting("web", 5, 4)) == "web@n3 -d");
    world.runs("n3", "e", 9, 1);  // n3 is beyond its allocatable now
    CHECK(world.plan(wanting("web", 5, 4)) == "web@n2 -b -c");
    world.cluster().cache().remove_node("n2");
    CHECK(world.plan(wanting("web", 5, 4)) == "web@n1 -a");
}

TEST_CASE("of equals the one that runs for the shortest time goes") {
    preemption_world world;
    world.node("n1").node("n2");
    world.runs("n1", "a", 1, 4, "{}", {}, R"({"startTime":"2026-01-01T00:00:00Z"})")
        .runs("n2", "b", 1, 4, "{}", {}, R"({"startTime":"2026-01-02T00:00:00Z"})");
    CHECK(world.plan(wanting("web", 5, 4)) == "web@n2 -b");
    preemption_world other;
    other.node("n1")
        .runs("n1", "a", 1, 2, "{}", {}, R"({"startTime":"2026-01-02T00:00:00Z"})")
        .runs("n1", "b", 1, 2, "{}", {}, R"({"startTime":"2026-01-01T00:00:00Z"})");
    CHECK(other.plan(wanting("web", 5, 2)) == "web@n1 -a");
}

TEST_CASE("a budget is not broken") {
    preemption_world world;
    const std::string db = R"({"app":"db"})";
    world.node("n1").runs("n1", "a", 1, 2, db).runs("n1", "b", 2, 2, db).budget("db", 1);
    CHECK(world.plan(wanting("web", 5, 2)) == "web@n1 -a");
    CHECK(world.plan(wanting("web", 5, 4)) == "nothing");
    world.budget("db", 0);
    CHECK(world.plan(wanting("web", 5, 2)) == "nothing");
    preemption_world disrupted;  // pods that are counted as disrupted already
    disrupted.node("n1").runs("n1", "a", 1, 2, db).runs("n1", "b", 2, 2, db).budget("db", 1, {"a"});
    CHECK(disrupted.plan(wanting("web", 5, 4)) == "web@n1 -a -b");
    preemption_world elsewhere;  // another node has no such pods, though a pod of higher priority
    elsewhere.node("n1").runs("n1", "a", 1, 4, db).node("n2").runs("n2", "c", 4, 4).budget("db", 0);
    CHECK(elsewhere.plan(wanting("web", 5, 4)) == "web@n2 -c");
}

TEST_CASE("all members of a gang go, or none") {
    preemption_world world;
    world.node("n1").node("n2").member("n1", "a", 1, "g").member("n2", "b", 1, "g").runs("n1", "c", 3, 2);
    world.runs("n2", "d", 4, 2);
    CHECK(world.plan(wanting("web", 5, 2)).substr(6) == " -a -b");  // on one of the nodes
    CHECK(world.plan(wanting("web", 2, 2)).substr(6) == " -a -b");
    world.member("n2", "e", 9, "g");  // one that may not be evicted protects them all
    CHECK(world.plan(wanting("web", 5, 2)) == "web@n1 -c");
    CHECK(world.plan(wanting("web", 2, 2)) == "nothing");
    preemption_world budgeted;
    budgeted.node("n1").member("n1", "a", 1, "g").member("n1", "b", 1, "g").policy().budgets([] {
        return std::vector<disruption_budget>{
            {"default",
             label_selector({label_requirement("scheduling.kcontrol.dev/gang", label_operator::exists, {})}),
             1,
             {}}};
    });
    CHECK(budgeted.plan(wanting("web", 5, 2)) == "nothing");
}

TEST_CASE("pods that leave already are waited for") {
    preemption_world world;
    world.node("n1").node("n2").runs("n1", "a", 1, 2).runs("n1", "b", 1, 2).runs("n2", "c", 0, 4);
    const auto web = wanting("web", 5, 4);
    CHECK(world.plan(web) == "web@n2 -c");
    world.kept.set_leaving("uid-a", true);
    CHECK(world.plan(wanting("small", 5, 2)) == "small@n1");
    world.kept.set_leaving("uid-c", true);
    CHECK(world.plan(web) == "web@n2");  // no other pod is evicted for it
    world.kept.set({web, "n2", 5});
    CHECK(world.plan(wanting("other", 5, 4)) == "other@n1 -b");
    world.kept.set_leaving("uid-c", false);
    CHECK(world.plan(web) == "web@n2 -c");
}

TEST_CASE("a pod that was deleted makes no room if its place is kept for the next one of its name") {
    preemption_world world;
    const std::string deleted = R"("deletionTimestamp":"2026-01-01T00:00:00Z")";
    const std::string keeps = R"(,"annotations":{"scheduling.kcontrol.dev/keep-place":"60s"})";
    const auto runs = [&](const std::string& meta) {
        world.node("n1").runs("n1", "a", 5, 4, "{}," + meta);
        return world.plan(wanting("web", 5, 4));
    };
    CHECK(runs(deleted) == "web@n1");
    CHECK(runs(deleted + keeps) == "nothing");
    CHECK(world.plan(wanting("high", 9, 4)) == "high@n1 -a");
    world.kept.set_leaving("uid-a", true);
    CHECK(world.plan(wanting("high", 9, 4)) == "high@n1");
}

TEST_CASE("a gang for which nobody has to go gets no places kept") {
    preemption_world world;
    world.node("n1").node("n2");
    const std::vector<pod_pointer> gang{wanting("a", 5, 4), wanting("b", 5, 4)};
    CHECK(world.plan(gang, 2) == "nothing");
    world.runs("n2", "c", 0, 4);
    CHECK(world.plan(gang, 2) == "a@n1 b@n2 -c");
}

TEST_CASE("the program's policy says who may go") {
    preemption_world world;
    world.node("n1").runs("n1", "a", 9, 2, R"({"team":"x"})").runs("n1", "b", 1, 2, R"({"team":"y"})");
    world.policy().may_evict([](const scheduling::pod_info&, const scheduling::pod_info& victim) {
        const auto* const team = victim.pod().metadata.labels.get("team");
        return team != nullptr && *team == "x";
    });
    CHECK(world.plan(wanting("web", 5, 2)) == "web@n1 -a");
    CHECK(world.last.places.at(0).against == 9);  // the place is kept from the victim, should it come back
    CHECK(world.plan(wanting("web", 5, 3)) == "nothing");
}

TEST_CASE("pods go that other filters refuse a node for") {
    preemption_world world;
    world.node("n1").node("n2");
    const std::string apart = R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"rack","labelSelector":{"matchLabels":{"app":"db"}}}]}})";
    world.runs("n1", "a", 1, 1, R"({"app":"db"})").runs("n2", "b", 2, 1, R"({"app":"db"})");
    CHECK(world.plan(wanting("web", 5, 1, apart)) == "web@n1 -a");
    const std::string port = R"({"containers":[{"name":"c","ports":[{"containerPort":1,"hostPort":80}]}],"priority":5)";
    preemption_world ports;
    ports.node("n1").runs("n1", "c", 1, 1);
    ports.cluster().put(pod_of("d", port + R"(,"nodeName":"n1"})"));
    CHECK(ports.plan(pod_of("web", port.substr(0, port.size() - 1) + "6}")) == "web@n1 -d");
}

namespace {

// Refuses all nodes while the cluster has more than one pod. Its remove_pod counts wrong: a dry run believes it.
struct wrong_counter {
    static constexpr std::string_view name = "WrongCounter";
    struct state {
        std::size_t pods = 0;
    };
    status pre_filter(state& of, const scheduling::pod_info&, const scheduling::snapshot& nodes) const {
        of.pods = nodes.pod_count();
        return status();
    }
    status filter(const state& of, const scheduling::pod_info&, const scheduling::node_info&) const {
        return of.pods > 1 ? status::unschedulable(interned_name("too many")) : status();
    }
    void add_pod(state& of, const scheduling::pod_info&, const scheduling::pod_info&,
                 const scheduling::node_info&) const {
        of.pods = 2;
    }
    void remove_pod(state& of, const scheduling::pod_info&, const scheduling::pod_info&,
                    const scheduling::node_info&) const {
        of.pods = 0;
    }
};

struct throwing_remover : wrong_counter {
    static constexpr std::string_view name = "ThrowingRemover";
    using state = wrong_counter::state;
    void remove_pod(state&, const scheduling::pod_info&, const scheduling::pod_info&,
                    const scheduling::node_info&) const {
        throw std::runtime_error("boom");
    }
};

}  // namespace

TEST_CASE("nothing is evicted if the pod would not fit after all") {
    preemption_world world;
    world.plugins().add(wrong_counter());
    world.node("n1").node("n2").runs("n1", "a", 1, 1).runs("n2", "b", 1, 1).runs("n2", "c", 9, 1);
    CHECK(world.plan(wanting("web", 5, 1)) == "nothing");
    world.cluster().cache().remove_pod("default", "c", "uid-c");
    CHECK(world.plan(wanting("web", 5, 1)) != "nothing");
}

TEST_CASE("a plugin that throws in a dry run helps nobody") {
    preemption_world world;
    world.plugins().add(throwing_remover());
    world.node("n1").runs("n1", "a", 1, 1).runs("n1", "b", 1, 1);
    CHECK(world.plan(wanting("web", 5, 1)) == "nothing");
    CHECK(world.last.reason.find("plugin \"ThrowingRemover\": boom") != std::string::npos);
}

TEST_CASE("a gang gets places for all that it needs, or nobody goes") {
    preemption_world world;
    world.node("n1").node("n2").runs("n1", "a", 1, 2).runs("n1", "b", 1, 2).runs("n2", "c", 9, 4);
    const std::vector<pod_pointer> gang = {wanting("g0", 5, 2), wanting("g1", 5, 2), wanting("g2", 5, 2)};
    CHECK(world.plan(gang, 3) == "nothing");
    CHECK(world.last.reason ==
          "0/2 nodes are available: 2 No preemption victims found for incoming pod.");  // its members are on n1
    CHECK(world.plan(gang, 2) == "g0@n1 g1@n1 -a -b");
    world.node("n3");
    CHECK(world.plan(gang, 3).substr(0, 19) == "g0@n3 g1@n3 g2@n1 -");
    CHECK(world.last.victims.size() == 1);
    CHECK(world.cluster().cache().snapshot().pod_count() == 3);
}

TEST_CASE("DefaultPreemption is asked when no node takes the pod") {
    preemption_world world;
    world.node("n1").node("n2").runs("n1", "a", 1, 4).runs("n2", "b", 9, 4);
    const auto pod = wanting("web", 5, 2);
    scheduling::cycle cycle(world.plugins());
    const auto ask = [&](const pod_pointer& of) {
        auto decided = cycle.decide(world.cluster().prepare(*of), *of);
        auto proposed = cycle.post_filter(world.cluster().cache(), of, decided);
        return std::pair(std::move(decided), std::move(proposed));
    };
    const auto helped = ask(pod);
    CHECK(helped.second.answer.ok());
    REQUIRE(helped.second.place.has_value());
    CHECK(helped.second.place->node == "n1");
    CHECK(helped.second.victims.size() == 1);
    CHECK(helped.first.message() == "0/2 nodes are available: 2 Insufficient cpu.");
    const auto not_helped = ask(wanting("low", 1, 2));
    CHECK_FALSE(not_helped.second.answer.ok());
    CHECK_FALSE(not_helped.second.place.has_value());
    CHECK(not_helped.first.message() ==
          "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: "
          "2 No preemption victims found for incoming pod.");
    CHECK(ask(wanting("great", 9, 5)).first.message() ==
          "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: "
          "2 Preemption is not helpful for scheduling.");
}
