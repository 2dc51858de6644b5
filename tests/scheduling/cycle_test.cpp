// The plugin points: what a plugin answers there, or throws, and what follows for the pod.
#include <kcontrol/scheduling/cycle.hpp>
#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/preemption.hpp>

#include "scheduling/objects.hpp"
#include "scheduling/plugin_world.hpp"
#include "scheduling/scripted_plugin.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::string_literals;
using scheduling::decision_result;
using scheduling::interned_name;
using scheduling::plugin_point;
using scheduling::status;

namespace {

// Two nodes, and a profile with two plugins that do what the script says.
class scripted_world {
public:
    scripted_world() : plugins("test") {
        plugins.add(scripted_plugin<'A'>(script)).add(scripted_plugin<'B'>(script), 2);
        nodes.node("n1").node("n2");
    }

    scheduling::decision decide(scheduling::cycle& by, const std::string& name = "web") {
        pod = pod_of(name, R"({"containers":[]})");
        return by.decide(nodes.prepare(*pod), *pod);
    }

    plugin_script script;
    scheduling::profile plugins;
    plugin_world nodes;
    std::shared_ptr<const scheduling::pod_info> pod;
};

template <class F>
auto run(F&& make) {
    boost::asio::io_context context;
    std::optional<scheduling::plugin_answer> out;
    const auto body = [&]() -> awaitable<void> {
        auto pending = make();
        out = co_await std::move(pending);
    };
    boost::asio::co_spawn(context, body, [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
    context.run();
    REQUIRE(out.has_value());
    return *out;
}

const std::function<status()> throws = []() -> status { throw std::runtime_error("boom"); };
const std::function<status()> throws_number = []() -> status { throw 7; };
const std::function<status()> fails = [] { return status::error("boom"); };
const std::function<status()> refuses = [] { return status::unschedulable(interned_name("no room")); };
const std::function<status()> refuses_for_good = [] { return status::unresolvable(interned_name("no room")); };
const std::function<status()> skips = [] { return status::skip(); };

}  // namespace

TEST_CASE("a plugin that throws or fails before the decision fails that pod alone") {
    struct row {
        plugin_point point;
        bool can_fail;  // it answers with a status
    };
    for (const auto& each :
         {row{plugin_point::pre_filter, true}, row{plugin_point::filter, true}, row{plugin_point::pre_score, true},
          row{plugin_point::score, false}, row{plugin_point::normalize_score, false}}) {
        const auto& [point, can_fail] = each;
        for (const auto* answer : {&throws, &fails, &throws_number}) {
            if (answer == &fails && !can_fail) continue;
            CAPTURE(scheduling::name_of(each.point));
            scripted_world world;
            scheduling::cycle cycle(world.plugins);
            world.script.answers[{'B', point}] = *answer;
            const auto decided = world.decide(cycle);
            CHECK(decided.result == decision_result::error);
            CHECK(decided.pod_refused.plugin == "B");
            CHECK(decided.pod_refused.point == point);
            const std::string start = "running " + std::string(scheduling::name_of(point)) + " plugin \"B\": ";
            CHECK(decided.message().substr(0, start.size()) == start);
            if (answer != &throws_number) CHECK(decided.message() == start + "boom");
            CHECK(decided.rejected_by == 0);
            world.script.answers.clear();
            CHECK(world.decide(cycle, "next").placed());
        }
    }
}

TEST_CASE("a score that is out of range fails the pod") {
    for (const std::int64_t score : {std::int64_t{-1}, std::int64_t{101}}) {
        scripted_world world;
        scheduling::cycle cycle(world.plugins);
        world.script.scores["n2"] = score;
        const auto decided = world.decide(cycle);
        CHECK(decided.result == decision_result::error);
        CHECK(decided.message() == "running Score plugin \"A\": its score " + std::to_string(score) +
                                       " of node n2 is not between 0 and 100");
    }
}

TEST_CASE("a plugin that refuses is named, with its reasons") {
    struct row {
        plugin_point point;
        const std::function<status()>* answer;
        std::string message;
        bool is_resolvable;
    };
    for (const auto& [point, answer, message, is_resolvable] :
         {row{plugin_point::pre_filter, &refuses, "0/2 nodes are available: no room.", true},
          row{plugin_point::pre_filter, &refuses_for_good, "0/2 nodes are available: no room.", false},
          row{plugin_point::filter, &refuses, "0/2 nodes are available: 2 no room.", true},
          row{plugin_point::filter, &refuses_for_good, "0/2 nodes are available: 2 no room.", false}}) {
        scripted_world world;
        world.plugins.set_number(0, 16);
        scheduling::cycle cycle(world.plugins);
        world.script.answers[{'A', point}] = *answer;
        const auto decided = world.decide(cycle);
        CHECK(decided.result == decision_result::unschedulable);
        CHECK(decided.message() == message);
        CHECK(decided.rejected_by == 16);
        CHECK(decided.is_resolvable == is_resolvable);
        CHECK(decided.node.empty());
        CHECK(world.script.count("B Filter") == 0);
        // One that evictions may help lets the others prepare for the search.
        CHECK(world.script.count("B PreFilter") == (point == plugin_point::filter || is_resolvable ? 1 : 0));
    }
}

TEST_CASE("a plugin that has nothing to do for a pod is not called again for it") {
    scripted_world world;
    scheduling::cycle cycle(world.plugins);
    world.script.answers[{'A', plugin_point::pre_filter}] = skips;
    world.script.answers[{'B', plugin_point::pre_score}] = skips;
    CHECK(world.decide(cycle).placed());
    CHECK(world.script.count("A Filter") == 0);
    CHECK(world.script.count("B Filter") == 2);
    CHECK(world.script.count("A Score") == 2);
    CHECK(world.script.count("B Score") == 0);
    CHECK(world.script.count("B NormalizeScore") == 0);
    world.script.answers.clear();
    CHECK(world.decide(cycle, "next").placed());  // each pod is asked about anew
    CHECK(world.script.count("A Filter") == 2);
    CHECK(world.script.count("B Score") == 2);
}

TEST_CASE("the best sum of weighted scores wins") {
    scripted_world world;
    scheduling::cycle cycle(world.plugins);
    world.script.scores = {{"n1", 40}, {"n2", 41}};
    const auto decided = world.decide(cycle);
    CHECK(decided.node == "n2");
    CHECK(decided.score == 41 + 2 * 41);
    CHECK(decided.feasible == 2);
    CHECK(decided.evaluated == 2);
}

TEST_CASE("a plugin that does not let a pod be reserved gives back what others have") {
    for (const auto* answer : {&refuses, &throws}) {
        scripted_world world;
        scheduling::cycle cycle(world.plugins);
        world.script.answers[{'B', plugin_point::reserve}] = *answer;
        auto decided = world.decide(cycle);
        REQUIRE(decided.placed());
        world.script.calls.clear();
        CHECK_FALSE(cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided).has_value());
        CHECK(world.script.calls == std::vector{"A Reserve"s, "B Reserve"s, "B Unreserve"s, "A Unreserve"s});
        const bool refused = answer == &refuses;
        CHECK(decided.result == (refused ? decision_result::unschedulable : decision_result::error));
        CHECK(decided.message() ==
              (refused ? "0/1 nodes are available: 1 no room." : "running Reserve plugin \"B\": boom"));
        CHECK(decided.rejected_by == (refused ? 2 : 0));
    }
}

TEST_CASE("a placement keeps the plugins' states while other pods are decided") {
    scripted_world world;
    scheduling::cycle cycle(world.plugins);
    auto decided = world.decide(cycle, "first");
    auto placed = cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided);
    REQUIRE(placed.has_value());
    CHECK(placed->annotations().at("reserved-by-A") == decided.node);
    CHECK(world.decide(cycle, "second").placed());
    world.script.calls.clear();
    // scripted_plugin looks whether it gets the states of the first pod.
    CHECK(run([&] { return world.plugins.permit(*placed); }).ok());
    CHECK(run([&] { return world.plugins.pre_bind(*placed); }).ok());
    world.script.answers[{'A', plugin_point::bind}] = skips;
    const auto bound = run([&] { return world.plugins.bind(*placed); });
    CHECK(bound.ok());
    CHECK(bound.plugin == "B");
    world.plugins.post_bind(*placed);
    world.plugins.unreserve(*placed);
    CHECK(world.script.calls == std::vector{"A Permit"s, "B Permit"s, "A PreBind"s, "B PreBind"s, "A Bind"s, "B Bind"s,
                                            "A PostBind"s, "B PostBind"s, "B Unreserve"s, "A Unreserve"s});
}

TEST_CASE("a plugin that speaks against the binding ends it, and is named") {
    using call = awaitable<scheduling::plugin_answer> (*)(const scheduling::profile&, scheduling::placement&);
    struct row {
        plugin_point point;
        call ask;
    };
    const row rows[] = {{plugin_point::permit, [](const auto& p, auto& of) { return p.permit(of); }},
                        {plugin_point::pre_bind, [](const auto& p, auto& of) { return p.pre_bind(of); }},
                        {plugin_point::bind, [](const auto& p, auto& of) { return p.bind(of); }}};
    for (const auto& each : rows) {
        const auto& [point, ask] = each;
        for (const auto* answer : {&refuses, &throws, &fails, &throws_number}) {
            CAPTURE(scheduling::name_of(each.point));
            scripted_world world;
            scheduling::cycle cycle(world.plugins);
            auto decided = world.decide(cycle);
            auto placed = cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided);
            REQUIRE(placed.has_value());
            world.script.answers[{'A', point}] = *answer;
            world.script.calls.clear();
            const auto said = run([&] { return each.ask(world.plugins, *placed); });
            CHECK(world.script.calls == std::vector{"A " + std::string(scheduling::name_of(point))});
            CHECK(said.plugin == "A");
            CHECK(said.point == point);
            CHECK(said.answer.is_rejected() == (answer == &refuses));
            if (answer == &throws || answer == &fails) {
                CHECK(said.answer.reason(0) ==
                      "running " + std::string(scheduling::name_of(point)) + " plugin \"A\": boom");
            }
        }
    }
}

TEST_CASE("no plugin binds the pod: the scheduler does") {
    scripted_world world;
    scheduling::cycle cycle(world.plugins);
    auto decided = world.decide(cycle);
    auto placed = cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided);
    world.script.answers[{'A', plugin_point::bind}] = world.script.answers[{'B', plugin_point::bind}] = skips;
    CHECK(run([&] { return world.plugins.bind(*placed); }).answer.is_skip());
}

TEST_CASE("unreserve and post_bind that throw stop nothing") {
    scripted_world world;
    scheduling::cycle cycle(world.plugins);
    auto decided = world.decide(cycle);
    auto placed = cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided);
    for (const auto point : {plugin_point::unreserve, plugin_point::post_bind}) {
        world.script.answers[{'A', point}] = world.script.answers[{'B', point}] = throws;
    }
    world.script.calls.clear();
    world.plugins.post_bind(*placed);
    world.plugins.unreserve(*placed);
    CHECK(world.script.calls.size() == 4);
}

TEST_CASE("plugins keep a pod out of the queue") {
    scripted_world world;
    const auto pod = pod_of("web", R"({"containers":[]})");
    CHECK(world.plugins.gated_by(*pod) == 0);
    world.script.answers[{'B', plugin_point::pre_enqueue}] = refuses;
    scheduling::plugin_answer first;
    CHECK(world.plugins.gated_by(*pod, &first) == 2);
    CHECK(first.plugin == "B");
    CHECK(first.answer.reason(0) == "no room");
    world.script.answers[{'A', plugin_point::pre_enqueue}] = throws;
    CHECK(world.plugins.gated_by(*pod, &first) == 3);
    CHECK(first.answer.reason(0) == "running PreEnqueue plugin \"A\": boom");
}

TEST_CASE("an observer gets to know each call and its answer") {
    struct observer : scheduling::plugin_observer {
        std::int64_t time = 0;
        std::vector<std::string> calls;
        std::int64_t now() noexcept override { return time += 10; }
        void called(std::string_view plugin, plugin_point point, scheduling::status_code answer,
                    std::int64_t took) noexcept override {
            CHECK(took == 10);
            calls.push_back(std::string(plugin) + " " + std::string(scheduling::name_of(point)) + " " +
                            std::to_string(static_cast<int>(answer)));
        }
    } seen;
    scripted_world world;
    scheduling::cycle cycle(world.plugins, scheduling::cycle_options().observer(&seen));
    world.script.answers[{'A', plugin_point::pre_filter}] = skips;
    world.script.answers[{'A', plugin_point::pre_score}] = skips;
    auto decided = world.decide(cycle);
    auto placed = cycle.reserve(world.nodes.cache().snapshot(), world.pod, decided);
    run([&] { return world.plugins.permit(*placed, &seen); });
    CHECK(seen.calls == std::vector{"A PreFilter 5"s, "B PreFilter 0"s, "B Filter 0"s, "A PreScore 5"s, "B PreScore 0"s,
                                    "B Score 0"s, "B NormalizeScore 0"s, "A Reserve 0"s, "B Reserve 0"s, "A Permit 0"s,
                                    "B Permit 0"s});
}

namespace {

// A program's own plugin: nodes without the label are refused.
class label_required {
public:
    static constexpr std::string_view name = "LabelRequired";
    explicit label_required(std::string label) : label_(std::move(label)) {}
    status filter(const scheduling::pod_info&, const scheduling::node_info& node) const {
        return node.label(label_) == nullptr ? status::unresolvable(interned_name("node(s) had no label " + label_))
                                             : status();
    }

private:
    std::string label_;
};

const std::string roomy = R"({"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}})";

scheduling::decision decide(const scheduling::profile& by, plugin_world& world,
                            const std::shared_ptr<const scheduling::pod_info>& pod,
                            const scheduling::nominations& nominated = scheduling::cycle::none()) {
    scheduling::cycle cycle(by);
    return cycle.decide(world.prepare(*pod), *pod, nominated);
}

}  // namespace

TEST_CASE("a plugin of the program stands beside kube-scheduler's") {
    const scheduling::volume_catalog volumes;
    auto plugins = scheduling::default_profile("mine", volumes);
    plugins.add(label_required("rack"));
    plugin_world world;
    world.node("n1", "", "{}", roomy).node("n2", R"("rack":"a")", "{}", roomy).node("n3", R"("rack":"a")");
    const auto pod = pod_of("web", requesting(R"({"cpu":"1"})"));
    CHECK(decide(plugins, world, pod).node == "n2");
    world.cache().remove_node("n2");
    const auto refused = decide(plugins, world, pod);
    CHECK(refused.message() == "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had no label rack.");
    CHECK_FALSE(refused.is_resolvable);  // n3 has no cpu at all
    CHECK(plugins.at(plugins.size() - 1).events().at(0).resource == "*");
    CHECK(plugins.at(plugins.size() - 2).events().empty());  // ImageLocality refuses nothing
    const auto weight = [&](std::string_view name) {
        for (std::size_t i = 0; i < plugins.size(); ++i) {
            if (plugins.at(i).name() == name) return plugins.weight_of(i);
        }
        return std::int64_t{0};
    };
    for (const auto& one : scheduling::default_plugins)
        CHECK(weight(one.name) == std::max<std::int64_t>(one.weight, 1));
}

TEST_CASE("without nodes, and of a pod that is wrong, nothing is decided") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    const auto none = decide(plugins, world, pod_of("web", R"({"containers":[]})"));
    CHECK(none.message() == "no nodes available to schedule pods");
    CHECK(none.rejected_by != 0);  // a node that is added wakes it
    world.node("n1");
    const auto wrong = decide(plugins, world, pod_of("web", requesting(R"({"cpu":"-1"})")));
    CHECK(wrong.result == decision_result::error);
    CHECK(wrong.message() == R"(pod default/web: spec.containers[0].resources.requests[cpu]: "-1" is negative)");
}

TEST_CASE("nodes that a pod does not name are counted, but not looked at") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1").node("n2").node("n3");
    const auto named = [](const std::string& names) {
        return R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}],"affinity":{"nodeAffinity":{
            "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[
            {"key":"metadata.name","operator":"In","values":[)" +
               names + R"(]}]}]}}}})";
    };
    const auto one = decide(plugins, world, pod_of("web", named(R"("n2")")));
    CHECK(one.message() ==
          "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK(one.evaluated == 1);
    const auto neither = decide(plugins, world, pod_of("web", named(R"("n7")")));
    CHECK(neither.message() == "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity].");
    CHECK_FALSE(neither.is_resolvable);
}

TEST_CASE("kube-scheduler's rule for how many nodes are looked at") {
    struct row {
        std::size_t nodes;
        std::int32_t percentage;
        std::size_t wanted;
    };
    for (const auto& each :
         {row{0, 0, 0}, row{99, 0, 99}, row{99, 10, 99}, row{100, 0, 100}, row{1000, 0, 420}, row{5000, 0, 500},
          row{6000, 0, 300}, row{10000, 0, 500}, row{5000, 30, 1500}, row{1000, 5, 100}, row{5000, 100, 5000}}) {
        const auto& [nodes, percentage, wanted] = each;
        CAPTURE(each.nodes);
        CHECK(scheduling::nodes_to_find(nodes, percentage) == wanted);
    }
}

TEST_CASE("all nodes have their turn, and the same seed chooses the same nodes") {
    scheduling::profile plugins("test");
    plugins.add(label_required("kubernetes.io/hostname")).percentage_of_nodes_to_score(5);
    plugin_script script;
    plugins.add(scripted_plugin<'A'>(script));
    plugin_world world;
    for (int i = 0; i < 300; ++i) world.node("n" + std::to_string(i));
    const auto pod = pod_of("web", R"({"containers":[]})");
    const auto choices = [&](std::uint64_t seed) {
        scheduling::cycle cycle(plugins, scheduling::cycle_options().seed(seed));
        std::vector<std::string> out;
        for (int i = 0; i < 300; ++i) {
            const auto decided = cycle.decide(world.prepare(*pod), *pod);
            CHECK(decided.evaluated == 100);
            out.push_back(decided.node);
        }
        return out;
    };
    const auto first = choices(1);
    CHECK(choices(1) == first);
    CHECK(choices(2) != first);
    CHECK(std::set<std::string>(first.begin(), first.end()).size() > 150);
}

TEST_CASE("a place that is kept for a pod is not given to another") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1", "", "{}", R"({"allocatable":{"cpu":"1","memory":"8Gi","pods":"110"}})");
    const auto of_priority = [](const std::string& name, int priority) {
        return pod_of(name, requesting(R"({"cpu":"1"})", R"(,"priority":)" + std::to_string(priority)));
    };
    scheduling::nominations kept;
    const auto owner = of_priority("owner", 10);
    kept.set({owner, "n1", 10});
    CHECK(decide(plugins, world, of_priority("same", 10), kept).message() ==
          "0/1 nodes are available: 1 Insufficient cpu.");
    CHECK_FALSE(decide(plugins, world, of_priority("lower", 9), kept).placed());
    CHECK(decide(plugins, world, of_priority("higher", 11), kept).node == "n1");
    CHECK(decide(plugins, world, owner, kept).node == "n1");
    kept.set({owner, "n1", 20});  // it evicted a pod of priority 20
    CHECK(kept.size() == 1);
    CHECK_FALSE(decide(plugins, world, of_priority("higher", 11), kept).placed());
    CHECK(kept.remove("default", "owner"));
    CHECK_FALSE(kept.remove("default", "owner"));
    CHECK(kept.on("n1").empty());
    CHECK(decide(plugins, world, of_priority("lower", 9), kept).placed());
}

TEST_CASE("a pod that needs another one does not count on it as long as that is only nominated") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1");
    scheduling::nominations kept;
    kept.set({pod_of("db", R"({"containers":[],"priority":9})", R"({"app":"db"})"), "n1", 9});
    const std::string near = R"({"containers":[],"affinity":{"podAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":
        {"matchLabels":{"app":"db"}}}]}}})";
    CHECK(decide(plugins, world, pod_of("web", near), kept).message() ==
          "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.");
}

TEST_CASE("a place is kept from pods that its pod is to be apart from, though they have no terms") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1");
    scheduling::nominations kept;
    const auto apart = R"({"containers":[],"priority":9,"affinity":{"podAntiAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":
        {"matchLabels":{"app":"db"}}}]}}})";
    kept.set({pod_of("owner", apart), "n1", 9});
    const std::string plain = R"({"containers":[]})";
    CHECK(decide(plugins, world, pod_of("db", plain, R"({"app":"db"})"), kept).message() ==
          "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.");
    CHECK(decide(plugins, world, pod_of("web", plain, R"({"app":"web"})"), kept).node == "n1");
}

TEST_CASE("a place is kept from pods elsewhere that would make its pod's zone too full") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("a1", R"("zone":"a")").node("a2", R"("zone":"a")").node("b1", R"("zone":"b")");
    const std::string labels = R"({"app":"web"})";
    const auto owner = pod_of("owner", R"({"containers":[],"priority":9,"topologySpreadConstraints":[{"maxSkew":1,
        "topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}]})",
                              labels);
    scheduling::nominations kept;
    kept.set({owner, "a1", 9});
    const auto on_a2 = [&](const std::string& name, const std::string& more, const std::string& of) {
        return decide(
            plugins, world,
            pod_of(name, R"({"containers":[],"nodeSelector":{"kubernetes.io/hostname":"a2"})" + more + "}", of), kept);
    };
    CHECK(on_a2("lower", "", labels).message() ==
          "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 2 node(s) didn't match "
          "Pod's node affinity/selector.");
    CHECK(on_a2("other", "", "{}").node == "a2");
    CHECK(on_a2("higher", R"(,"priority":10)", labels).node == "a2");
    // A pod of zone a that is on its way out does not count against the owner; then there is room for one.
    const auto leaves = pod_of("old", R"({"containers":[],"nodeName":"a1"})", labels);
    world.put(leaves);
    CHECK(on_a2("lower", "", labels).node == "a2");  // the owner does not fit as things are: nothing is kept for it
    kept.set_leaving(leaves->uid(), true);
    CHECK_FALSE(on_a2("lower", "", labels).placed());
    world.put(pod_of("in-b", R"({"containers":[],"nodeName":"b1"})", labels));
    CHECK(on_a2("lower", "", labels).node == "a2");
}

TEST_CASE("a pod goes to the node that is kept for it, whatever other nodes score") {
    scripted_world world;
    world.script.scores = {{"n1", 100}, {"n2", 0}};
    scheduling::cycle cycle(world.plugins);
    const auto pod = pod_of("web", R"({"containers":[]})");
    scheduling::nominations kept;
    kept.set({pod, "n2", 0});
    CHECK(cycle.decide(world.nodes.prepare(*pod), *pod, kept).node == "n2");
    const auto by_status = pod_of("other", R"({"containers":[]})", "{}", R"({"nominatedNodeName":"n2"})");
    CHECK(cycle.decide(world.nodes.prepare(*by_status), *by_status).node == "n2");
    world.nodes.cache().remove_node("n2");
    CHECK(cycle.decide(world.nodes.prepare(*pod), *pod, kept).node == "n1");
}

TEST_CASE("a gang gets places for as many as it needs, or for none") {
    plugin_script script;
    const scheduling::volume_catalog volumes;
    auto plugins = scheduling::default_profile("mine", volumes);
    plugins.add(scripted_plugin<'A'>(script));
    plugin_world world;
    world.node("n1", "", "{}", roomy).node("n2", "", "{}", R"({"allocatable":{"cpu":"2","pods":"110"}})");
    std::vector<std::shared_ptr<const scheduling::pod_info>> gang;
    for (const char* name : {"g0", "g1", "g2", "g3"}) gang.push_back(pod_of(name, requesting(R"({"cpu":"2"})")));
    scheduling::cycle cycle(plugins);

    const auto none = cycle.decide_gang(world.cache(), gang, 4);
    CHECK_FALSE(none.placed);
    CHECK(none.fitting == 3);
    REQUIRE(none.misfit != nullptr);
    CHECK(none.misfit->message() == "0/2 nodes are available: 2 Insufficient cpu.");
    CHECK(script.count("A Reserve") == 3);
    CHECK(script.count("A Unreserve") == 3);
    for (const auto& one : none.members) CHECK_FALSE(one.reserved.has_value());
    CHECK(world.cache().snapshot().pod_count() == 0);

    script.calls.clear();
    const auto all = cycle.decide_gang(world.cache(), gang, 3);
    CHECK(all.placed);
    CHECK(script.count("A Unreserve") == 0);
    std::map<std::string, int> on;
    for (const auto& one : all.members) {
        CHECK(one.reserved.has_value() == one.decided.placed());
        if (one.decided.placed()) ++on[one.decided.node];
    }
    CHECK(on == std::map<std::string, int>{{"n1", 2}, {"n2", 1}});
    CHECK(all.misfit == &all.members[3].decided);
    CHECK(world.cache().snapshot().pod_count() == 0);  // the caller assumes them

    script.answers[{'A', plugin_point::reserve}] = refuses;
    const auto refused = cycle.decide_gang(world.cache(), gang, 1);
    CHECK_FALSE(refused.placed);
    CHECK(refused.misfit->message() == "0/1 nodes are available: 1 no room.");
}

namespace {

// A gang goes onto the nodes of one rack, the last one by name first.
struct one_rack {
    static constexpr std::string_view name = "OneRack";
    std::vector<std::vector<const scheduling::node_info*>> generate_placements(
        std::span<const std::shared_ptr<const scheduling::pod_info>>, std::int32_t,
        const scheduling::snapshot& nodes) const {
        std::map<std::string_view, std::vector<const scheduling::node_info*>, std::greater<>> racks;
        for (const auto* node : nodes.nodes()) racks[node->label("rack")->view()].push_back(node);
        std::vector<std::vector<const scheduling::node_info*>> out;
        for (auto& [rack, of] : racks) out.push_back(std::move(of));
        return out;
    }
};

}  // namespace

TEST_CASE("a gang goes onto the first set of nodes that takes it") {
    const scheduling::volume_catalog volumes;
    auto plugins = scheduling::default_profile("mine", volumes);
    plugins.add(one_rack());
    plugin_world world;
    const char* const small = R"({"allocatable":{"cpu":"2","pods":"110"}})";
    for (const char* node : {"a1", "a2", "b1"}) {
        world.node(node, std::string(R"("rack":")") + node[0] + '"', "{}", small);
    }
    const auto gang_of = [](int size) {
        std::vector<std::shared_ptr<const scheduling::pod_info>> out;
        for (int i = 0; i < size; ++i) out.push_back(pod_of("g" + std::to_string(i), requesting(R"({"cpu":"2"})")));
        return out;
    };
    scheduling::cycle cycle(plugins);
    CHECK(cycle.decide_gang(world.cache(), gang_of(1), 1).members[0].decided.node == "b1");
    const auto two = cycle.decide_gang(world.cache(), gang_of(2), 2);
    REQUIRE(two.placed);
    CHECK(std::set<std::string>{two.members[0].decided.node, two.members[1].decided.node} ==
          std::set<std::string>{"a1", "a2"});
    // Three don't fit into one rack: the misfit is that of the rack which takes most of them.
    const auto three = cycle.decide_gang(world.cache(), gang_of(3), 3);
    CHECK_FALSE(three.placed);
    CHECK(three.fitting == 2);
    CHECK(three.misfit->message() ==
          "0/3 nodes are available: 1 node(s) are not where the gang is tried, 2 Insufficient cpu.");
    // A pod by itself goes anywhere.
    CHECK(decide(plugins, world, pod_of("alone", requesting(R"({"cpu":"2"})"))).feasible == 3);
}

TEST_CASE("places that are kept for members of a gang count once") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1", "", "{}", roomy);
    std::vector<std::shared_ptr<const scheduling::pod_info>> gang;
    scheduling::nominations kept;
    for (const char* name : {"g0", "g1"}) {
        gang.push_back(pod_of(name, requesting(R"({"cpu":"2"})")));
        kept.set({gang.back(), "n1", 0});
    }
    scheduling::cycle cycle(plugins);
    CHECK(cycle.decide_gang(world.cache(), gang, 2, kept).placed);
    CHECK_FALSE(decide(plugins, world, pod_of("other", requesting(R"({"cpu":"1"})")), kept).placed());
}

TEST_CASE("an explanation has the first plugin that refuses each node, and the scores of the others") {
    const scheduling::volume_catalog volumes;
    const auto plugins = scheduling::default_profile("mine", volumes);
    plugin_world world;
    world.node("n1", "", R"({"unschedulable":true})", roomy)
        .node("n2", "", "{}", R"({"allocatable":{"cpu":"1","pods":"110"}})")
        .node("n3", "", "{}", roomy)
        .pod("n2", "old", "{}", requesting(R"({"cpu":"1"})"));
    const auto pod = pod_of("web", requesting(R"({"cpu":"1"})"));
    scheduling::cycle cycle(plugins);
    const auto why = cycle.explain(world.prepare(*pod), *pod);
    REQUIRE(why.nodes.size() == 3);
    CHECK(why.decided.node == "n3");
    CHECK(why.nodes[0].plugin == "NodeUnschedulable");
    CHECK(why.nodes[0].refused.reason(0) == "node(s) were unschedulable");
    CHECK(why.nodes[1].plugin == "NodeResourcesFit");
    CHECK(why.nodes[1].refused.code() == scheduling::status_code::unschedulable);
    CHECK(why.nodes[2].plugin.empty());
    std::int64_t sum = 0;
    for (const auto& one : why.nodes[2].scores) {
        for (std::size_t i = 0; i < plugins.size(); ++i) {
            if (plugins.at(i).name() == one.plugin) sum += plugins.weight_of(i) * one.score;
        }
    }
    CHECK(sum > 0);
    CHECK(why.nodes[2].score == sum);
    world.cache().remove_node("n3");
    CHECK(cycle.explain(world.prepare(*pod), *pod).decided.message() ==
          cycle.decide(world.prepare(*pod), *pod).message());
}
