// What a program of many clusters says of itself: statuses as values, readiness, and metrics that stay bounded.
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/multicluster/cluster_health.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "multicluster/sharding_world.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;

struct fixture : widget_world {
    fixture() {
        multicluster_options o;
        o.informers(informer_options().probe_period(5s)).transport(network.factory()).metrics(registry, 2);
        o.kinds({kind_choice(resource_of<widget>())});
        m.emplace(env, home, std::move(o));
    }
    ~fixture() {
        ends_within(1min, m->stop());
        context.run_for(2s);
    }
    void want(const std::vector<std::string>& names) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) desired.emplace_back(name, add(name).config());
        m->set_desired(std::move(desired));
    }
    void cut(const std::string& name, link_state how) {
        add(name);
        network.set_link(name, how);
    }
    bool has(const std::string& line) const { return registry.text().find("\n" + line + "\n") != std::string::npos; }
    std::string why(readiness when = readiness::synced_once) const {
        const auto ready = m->ready(when);
        return ready ? "" : ready.error().message();
    }

    metrics_registry registry;
    std::optional<multicluster_manager> m;
};

TEST_CASE_FIXTURE(fixture, "the status of each cluster and kind is a value, and gone with its cluster") {
    cut("b", link_state::refused);
    add("a").create("x", 1);
    CHECK(m->statuses().empty());
    want({"a", "b"});
    CHECK(m->statuses().size() == 2);
    CHECK(m->statuses()[1].state == cluster_state::connecting);
    context.run_for(3s);
    const auto all = m->statuses();
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "a");
    CHECK(all[0].state == cluster_state::live);
    REQUIRE(all[0].kinds.size() == 1);
    CHECK(all[0].kinds[0].gvk.kind == "Widget");
    CHECK(all[0].kinds[0].informer.objects == 1);
    CHECK(all[1].state == cluster_state::unreachable);
    want({"b"});
    context.run_for(3s);
    REQUIRE(m->statuses().size() == 1);
    CHECK(m->statuses()[0].name == "b");
}

TEST_CASE_FIXTURE(fixture,
                  "a program of many clusters is ready when each was tried; one that is away changes nothing") {
    CHECK(why() == "nobody has said yet which clusters there are");
    cut("b", link_state::black_hole);
    want({"a", "b"});
    CHECK(why().find("cluster a is connecting, and 1 more are not ready") != std::string::npos);
    context.run_for(2min);
    CHECK(why().empty());
    CHECK(why(readiness::live).find("cluster b is unreachable") != std::string::npos);
    want({"a", "b", "c"});
    CHECK(why().empty());  // though c is being connected to
    network.set_link("b", link_state::up);
    context.run_for(2min);
    CHECK(why(readiness::live).empty());
}

TEST_CASE_FIXTURE(fixture, "the check of the clusters names those that are not live, in bounds") {
    for (const char* name : {"b", "c", "d"}) cut(name, link_state::refused);
    want({"a", "b", "c", "d"});
    context.run_for(5s);
    const named_check check = clusters_ready(*m, readiness::live, 2);
    CHECK(check.name == "clusters");
    CHECK_FALSE(check.check());
    const auto lines = check.details();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].find("b: unreachable: ") == 0);
    CHECK(lines[1].find("c: unreachable: ") == 0);
    CHECK(lines[2] == "and 1 more");
}

TEST_CASE_FIXTURE(fixture, "metrics: of many clusters the first have series of their own, and all are counted") {
    cut("c", link_state::refused);
    want({"a", "b", "c"});
    context.run_for(5s);
    CHECK(has(R"(kcontrol_cluster_state{cluster="b",state="live"} 1)"));
    CHECK(registry.text().find("cluster=\"c\"") == std::string::npos);
    CHECK(has(R"(kcontrol_clusters{state="live"} 2)"));
    CHECK(has(R"(kcontrol_clusters{state="unreachable"} 1)"));
    CHECK(has("kcontrol_clusters_without_series 1"));
    want({"a", "c"});
    context.run_for(5s);
    CHECK(has(R"(kcontrol_cluster_state{cluster="c",state="unreachable"} 1)"));
    CHECK(has("kcontrol_clusters_without_series 0"));
}

TEST_CASE("metrics: of sharding there are as many series for a thousand clusters as for one") {
    sharding_world w(6);
    metrics_registry registry;
    replica_process& first = w.start(1, "fleet", &registry);
    CHECK(first.m->ready().error().message() == "nobody has said yet which clusters there are");
    w.start();
    REQUIRE_MESSAGE(w.until_owned(30s), w.logs());
    w.world.run_for(2s);  // what controllers watch is told a second late
    CHECK(first.m->ready());
    const auto has = [&](const std::string& line) {
        return registry.text().find("\nkcontrol_sharding_" + line + "\n") != std::string::npos;
    };
    const std::string held = std::to_string(first.m->sharding()->clusters.size());
    CAPTURE(registry.text());
    CHECK(has(R"(member{group="default/fleet"} 1)"));
    CHECK(has(R"(peers{group="default/fleet"} 2)"));
    CHECK(has(R"(clusters{group="default/fleet",state="held"} )" + held));
    CHECK(has(R"(clusters{group="default/fleet",state="waiting"} 0)"));
    w.replicas[1]->kill();
    REQUIRE_MESSAGE(w.until_owned(20s), w.logs());
    CHECK(has(R"(peers{group="default/fleet"} 1)"));
    CHECK(has(R"(clusters{group="default/fleet",state="held"} 6)"));
    CHECK(has(R"(expelled_total{group="default/fleet"} 1)"));
    first.link("home", link_state::black_hole);
    w.world.run_for(1min);
    CHECK(has(R"(member{group="default/fleet"} 0)"));
    CHECK(has(R"(clusters{group="default/fleet",state="held"} 0)"));
    CHECK_FALSE(has(R"(given_away_total{group="default/fleet"} 0)"));
    CHECK(first.m->ready());  // from then on
    CHECK_FALSE(first.m->ready(readiness::live));
}

}  // namespace
