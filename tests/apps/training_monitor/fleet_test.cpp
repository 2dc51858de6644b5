// Monitors that share many clusters, and clusters that may cost so much and no more.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using training_monitor::fleet_options;
using training_monitor::monitor;
using training_monitor::options;

// Clusters that several monitors watch.
struct fleet {
    explicit fleet(int count) {
        for (int i = 0; i < count; ++i) {
            const std::string name = "c" + std::to_string(i);
            names.insert(name);
            desired.emplace_back(name, world.add_server(name).config());
        }
    }

    std::unique_ptr<monitor> start(const fleet_options& how) {
        options o;
        o.fleet(how);
        auto out = std::make_unique<monitor>(world.env(), world.get_executor(), o, world.network().factory(),
                                             kcontrol::logger(), kcontrol::client_options(), home.config());
        REQUIRE(out->start(std::make_unique<kcontrol::fixed_source>(desired), {}));
        return out;
    }
    void stop(monitor& m) {
        CHECK(world.ends_within(1min, m.stop()));
        world.run_for(2s);
    }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& home = world.add_server("home");
    std::vector<kcontrol::desired_cluster> desired;
    std::set<std::string> names;
};

std::string state_of(monitor& m, const std::string& cluster) {
    for (const auto& one : m.table().clusters()) {
        if (one->name == cluster) return std::string(one->state) + " " + one->reason;
    }
    return "missing";
}

// Those that it watches.
std::set<std::string> live(monitor& m) {
    std::set<std::string> out;
    for (const auto& one : m.table().clusters()) {
        if (one->state == "live") out.insert(one->name);
    }
    return out;
}

TEST_CASE("fleet: two monitors share the clusters, and one that stops leaves its share to the other") {
    fleet f(12);
    const auto how = fleet_options().shard_group({"default", "monitors"});
    const auto a = f.start(how), b = f.start(how);
    const auto all_watched = [&] { return live(*a).size() + live(*b).size() == f.names.size(); };
    f.world.run_for(5s);
    CHECK(f.world.run_until([&] { return all_watched() && !live(*a).empty() && !live(*b).empty(); }, 2min));
    auto all = live(*a);
    for (const auto& name : live(*b)) CHECK_MESSAGE(all.insert(name).second, name, " is watched by both");
    CHECK(all == f.names);
    CHECK(a->table().clusters().size() == live(*a).size());  // what is the other's is not shown
    f.stop(*a);
    CHECK(f.world.run_until([&] { return live(*b) == f.names; }, 2min));
    f.stop(*b);
}

TEST_CASE("fleet: a slow cluster with budgets holds up no other") {
    fleet f(4);
    f.world.network().set_latency("c0", 40s, 40s);
    const auto m = f.start(fleet_options().rate_limit(20).max_concurrent_requests(2).max_consecutive_failures(3));
    f.world.run_for(5s);
    CHECK(live(*m) == std::set<std::string>{"c1", "c2", "c3"});
    f.stop(*m);
}

TEST_CASE("fleet: a cluster with too many objects is failed, with the reason, and the others are live") {
    fleet f(2);
    auto& big = f.world.add_server("big");
    f.desired.emplace_back("big", big.config());
    for (int i = 0; i < 4; ++i) {
        REQUIRE(big.api().create({{"apiVersion", "batch/v1"},
                                  {"kind", "Job"},
                                  {"metadata", {{"name", "j" + std::to_string(i)}, {"namespace", "default"}}},
                                  {"spec", {{"parallelism", 1}}}}));
    }
    const auto m = f.start(fleet_options().max_objects(3));
    f.world.run_for(5s);
    CHECK(live(*m) == f.names);
    const std::string state = state_of(*m, "big");
    CAPTURE(state);
    CHECK(state.starts_with("failed "));
    CHECK(state.find("Job") != std::string::npos);
    CHECK(state.find('3') != std::string::npos);
    f.stop(*m);
}

}  // namespace
