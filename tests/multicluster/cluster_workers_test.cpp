// Workers that clusters share: whose turn it is as a table, and clusters that share some.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/cluster_workers.hpp>
#include <kcontrol/multicluster/detail/fair_turns.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using detail::fair_turns;

// Clusters that always want a turn, which takes as long as `hold` says: how many each has had after `turns` of them.
class always_hungry {
public:
    always_hungry(std::size_t total, duration aging) : turns_(total, aging) {}

    void want(const std::string& cluster, std::uint32_t weight, int at_a_time, int hold) {
        hold_[cluster] = hold;
        weight_[cluster] = weight;
        for (int i = 0; i < at_a_time; ++i) ask(cluster);
    }
    std::map<std::string, int> after(int steps) {
        std::map<std::string, int> had;
        for (int step = 0; step < steps; ++step) {
            now_ += 1s;
            for (const auto which : turns_.grant(now_)) {
                ++had[cluster_[which]];
                until_[which] = step + hold_[cluster_[which]];
            }
            std::vector<fair_turns::ticket> over;
            for (const auto& [which, until] : until_) {
                if (until <= step) over.push_back(which);
            }
            for (const auto which : over) {
                turns_.end(which);
                until_.erase(which);
                ask(cluster_[which]);
            }
        }
        return had;
    }

private:
    void ask(const std::string& cluster) { cluster_[turns_.ask(cluster, weight_[cluster], now_)] = cluster; }

    fair_turns turns_;
    time_point now_{1h};
    std::map<std::string, int> hold_;
    std::map<std::string, std::uint32_t> weight_;
    std::map<fair_turns::ticket, std::string> cluster_;
    std::map<fair_turns::ticket, int> until_;
};

TEST_CASE("fair_turns: shares follow the weights, whoever wants more") {
    always_hungry all(4, 1h);
    all.want("crowd", 1, 100, 0);
    all.want("quiet", 1, 4, 0);
    all.want("heavy", 2, 4, 0);
    const auto had = all.after(100);
    CHECK(had.at("crowd") == had.at("quiet"));
    CHECK(had.at("crowd") + had.at("quiet") + had.at("heavy") == 400);
    CHECK(std::abs(had.at("heavy") - 200) <= 4);
}

TEST_CASE("fair_turns: one that is slow keeps what it has, and the others share the rest") {
    always_hungry all(4, 1h);
    all.want("slow", 1, 2, 1000);
    all.want("a", 1, 2, 0);
    all.want("b", 1, 2, 0);
    const auto had = all.after(100);
    CHECK(had.at("slow") <= 2);
    CHECK(had.at("a") + had.at("b") >= 200);
    CHECK(std::abs(had.at("a") - had.at("b")) <= 2);
}

TEST_CASE("fair_turns: who has waited too long is next, however little it weighs") {
    const auto first_turn = [](duration aging) {
        always_hungry all(1, aging);
        all.want("heavy", 1000, 10, 0);
        all.want("light", 1, 1, 0);
        int steps = 0;
        while (all.after(1).count("light") == 0 && steps < 5000) ++steps;
        all.after(1);
        int again = 0;
        while (all.after(1).count("light") == 0 && again < 5000) ++again;
        return again;
    };
    CHECK(first_turn(1h) > 500);
    CHECK(first_turn(20s) <= 20);
}

TEST_CASE("fair_turns: what is given up is nobody's, and who was away has saved nothing up") {
    const time_point t{1h};
    fair_turns turns(1, 1h);
    const auto a = turns.ask("a", 1, t);
    CHECK(turns.grant(t) == std::vector{a});
    const auto b = turns.ask("b", 1, t), c = turns.ask("c", 1, t);
    CHECK(turns.waiting() == 2);
    turns.end(b);
    turns.end(b);
    turns.end(a);
    CHECK(turns.grant(t) == std::vector{c});
    turns.end(c);
    CHECK(turns.running() == 0);
    // One has had a hundred turns; another comes, and does not get a hundred in a row.
    for (int i = 0; i < 100; ++i) {
        const auto mine = turns.ask("old", 1, t);
        CHECK(turns.grant(t) == std::vector{mine});
        if (i < 99) turns.end(mine);
        if (i == 99) {
            const auto next = turns.ask("old", 1, t);
            const auto young = turns.ask("new", 1, t), younger = turns.ask("new", 1, t);
            turns.end(mine);
            CHECK(turns.grant(t) == std::vector{young});
            turns.end(young);
            CHECK(turns.grant(t) == std::vector{next});
            turns.end(next);
            CHECK(turns.grant(t) == std::vector{younger});
        }
    }
}

class fixture : public widget_world {
public:
    void begin(cluster_workers how) {
        m.emplace(env, home, multicluster_options().transport(network.factory()));
        workers = std::make_shared<shared_workers>(env, std::move(how));
        const auto work = [this](reconcile_context ctx, request req, std::shared_ptr<const widget>) {
            return reconcile(std::move(ctx), std::move(req));
        };
        const auto options = controller_options().max_concurrent_reconciles(4);
        REQUIRE(multicluster_controller(*m, "work").for_<widget>().with_options(options).complete(work, workers));
        std::vector<desired_cluster> desired;
        for (const char* name : {"a", "b", "c"}) desired.emplace_back(name, add(name).config());
        m->set_desired(std::move(desired));
    }
    ~fixture() {
        ends_within(5min, m->stop());
        context.run_for(1min);
        CHECK(workers->running() == 0);
        CHECK(workers->waiting() == 0);
    }

    std::optional<multicluster_manager> m;
    std::shared_ptr<shared_workers> workers;
    std::size_t most = 0;
    std::map<std::string, int> done;

private:
    reconciliation reconcile(reconcile_context ctx, request req) {
        most = std::max(most, workers->running());
        const wake why = co_await sleep_for(env, 1s, ctx.stop());
        if (why == wake::stopped) co_return error(errc::stopped, "stopped");
        ++done[req.cluster];
        co_return reconcile_result::done();
    }
};

TEST_CASE_FIXTURE(fixture, "cluster_workers: never more than the total, shared by weight, and none is lost") {
    for (int i = 0; i < 60; ++i) {
        for (const char* name : {"a", "b", "c"}) add(name).create("w" + std::to_string(i));
    }
    begin(cluster_workers(4).weight([](const std::string& name) { return name == "a" ? 2u : 1u; }));
    context.run_for(20s);
    CHECK(most == 4);
    CHECK(std::abs(done["a"] - 2 * done["b"]) <= 6);
    CHECK(std::abs(done["b"] - done["c"]) <= 3);
    context.run_for(2min);
    CHECK(done == std::map<std::string, int>{{"a", 60}, {"b", 60}, {"c", 60}});
}

TEST_CASE_FIXTURE(fixture, "cluster_workers: metrics tell who works and who waits, in all and of the first clusters") {
    for (int i = 0; i < 20; ++i) {
        for (const char* name : {"a", "b", "c"}) add(name).create("w" + std::to_string(i));
    }
    begin(cluster_workers(4));
    metrics_registry registry;
    workers->metrics(registry, "jobs", 2);
    const auto has = [&](const std::string& line) {
        return registry.text().find("\nkcontrol_shared_workers" + line + "\n") != std::string::npos;
    };
    context.run_for(1500ms);
    CAPTURE(registry.text());
    CHECK(has(R"({name="jobs",state="total"} 4)"));
    CHECK(has(R"({name="jobs",state="running"} 4)"));
    CHECK(has(R"({name="jobs",state="waiting"} 8)"));  // of four at a time in each of three clusters
    CHECK(registry.text().find(R"(_by_cluster{cluster="b",name="jobs",state="running"} )") != std::string::npos);
    CHECK(registry.text().find("cluster=\"c\"") == std::string::npos);
    context.run_for(2min);
    CHECK(has(R"({name="jobs",state="running"} 0)"));
    CHECK(registry.text().find("cluster=") == std::string::npos);
}

TEST_CASE_FIXTURE(fixture,
                  "cluster_workers: a cluster that leaves gives its workers back, those that it waits for, too") {
    for (int i = 0; i < 20; ++i) add("a").create("w" + std::to_string(i));
    add("b").create("w");
    begin(cluster_workers(2));
    context.run_for(1500ms);
    CHECK(workers->running() == 2);
    m->set_desired({desired_cluster("b", add("b").config())});
    context.run_for(500ms);
    CHECK(workers->waiting() == 0);
    add("b").create("late");
    context.run_for(3s);
    CHECK(done["b"] == 2);
}

}  // namespace
