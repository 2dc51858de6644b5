// What the page is told: /api/v1/overview.
#include "web/overview.hpp"

#include <kcontrol/controllerutil/conditions.hpp>
#include <kcontrol/documents/value.hpp>

#include "control/heal_world.hpp"

#include <set>

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

node_repair a_case(const std::string& name, const char* phase, int minute, bool tainted = false) {
    node_repair out;
    out.metadata.name = name;
    out.spec.node = "node-of-" + name;
    out.spec.policy = "gpus";
    out.status.phase = phase;
    out.status.phase_time = wall_time(std::chrono::minutes(minute));
    out.status.taint.emplace().key = "k";
    set_condition(out.status.conditions, condition_for(out, "Quarantined", tainted, "Test"), wall_time());
    return out;
}
void add_to(repair_list& all, node_repair of) { all.push_back(std::make_shared<const node_repair>(std::move(of))); }
json::value told_of(const overview& of) { return json::parse(overview_json(of)).value(); }
std::string names_of(const json::value& told) {
    std::string out;
    for (const auto& each : told.at("cases").as_array()) out += std::string(json::get_string(each, {"name"})) + " ";
    return out;
}

}  // namespace

TEST_CASE("open cases come first, with a taint that is left among them; then those that ended last") {
    overview of;
    add_to(of.repairs, a_case("old", "Released", 1));
    add_to(of.repairs, a_case("left", "Cancelled", 2, true));
    add_to(of.repairs, a_case("new", "Cancelled", 3));
    add_to(of.repairs, a_case("open", "Draining", 0, true));
    CHECK(names_of(told_of(of)) == "left open new old ");
    for (int i = 0; i < 120; ++i) add_to(of.repairs, a_case("x" + std::to_string(i), "Released", 10 + i));
    const auto told = told_of(of);
    CHECK(told.at("cases").as_array().size() == 102);
    CHECK(told.at("older").to_number<int>() == 22);
    CHECK(names_of(told).starts_with("left open x119 x118 "));
}

TEST_CASE("a percentile is the smallest value that so many do not exceed") {
    CHECK(percentile({7}, 50) == 7);
    CHECK(percentile({4, 1, 3, 2}, 50) == 2);
    CHECK(percentile({4, 1, 3, 2}, 99) == 4);
    std::vector<double> hundred;
    for (int i = 100; i > 0; --i) hundred.push_back(i);
    CHECK(percentile(hundred, 99) == 99);
    CHECK(percentile(hundred, 50) == 50);
}

TEST_CASE("each reason with which the healer waits for a human has an advice of its own") {
    std::set<std::string_view> told;
    for (const char* reason : {"Manual", "MaxAttempts", "StepGone", "DrainTimeout", "AnswerLost", "StepFailed",
                               "NotHealthy", "VerificationFailed", "AnotherVersions"}) {
        CAPTURE(reason);
        CHECK(told.insert(advice(reason)).second);
    }
    overview of;
    auto waits = a_case("a", "NeedsHuman", 1, true);
    waits.status.reason = "Manual";
    add_to(of.repairs, waits);
    waits.status.phase = "Verifying";
    add_to(of.repairs, waits);
    const auto told_all = told_of(of);
    CHECK(told_all.at("cases").as_array()[0].at("advice").as_string() == std::string(advice("Manual")));
    CHECK(told_all.at("cases").as_array()[1].at("advice").as_string().empty());
}

TEST_CASE("what can't be relied on is said: before the first list, without the kind, and where the server is away") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    w.fail("n0");
    w.settle(5s);
    CHECK(overview_of(*w.m).trouble.empty());
    const auto told = told_of(overview_of(*w.m));
    CHECK(told.at("policies").as_array().at(0).at("limit").to_number<int>() == 2);
    CHECK(told.at("cases").as_array().at(0).at("open").as_bool());
    CHECK(told.at("cases").as_array().at(0).at("taint").as_string() ==
          "kcontrol.dev/gpu-unhealthy=GPUFailed:NoSchedule");
    manager other(w.world.env(), w.world.get_executor(), w.world.connect(w.server), watched());
    CHECK(overview_of(other).trouble.starts_with("the healer can't read NodeRepairs"));
    other.start();
    w.settle(5s);
    CHECK(overview_of(other).trouble.empty());
    w.world.network().set_link(w.server.name(), testing::link_state::refused);
    w.world.network().break_connections(w.server.name());
    w.settle(2min);
    CHECK(overview_of(other).trouble.starts_with("the healer can't read "));
    w.world.network().set_link(w.server.name(), testing::link_state::up);
    w.settle(2min);
    CHECK(overview_of(other).trouble.empty());
    w.world.run(other.stop());
}

TEST_CASE("a replica says who leads, and that no case goes on while none does") {
    heal_world w;
    w.add_policy();
    auto how = watched();
    how.leader_election(leader_options(namespaced_name("default", "gpu-healer")).identity("me"));
    manager candidate(w.world.env(), w.world.get_executor(), w.world.connect(w.server), how);
    (void)overview_of(candidate);
    candidate.start();
    w.settle(10s);
    CHECK(overview_of(candidate).leader == "me");
    CHECK(overview_of(candidate).trouble.empty());
    w.world.run(candidate.stop());
}
