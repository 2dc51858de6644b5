// What the monitor's log says of its clusters: all that its lines and its page say, whatever --output is.
// And what its metrics say of them.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using kcontrol::log_level;
using kcontrol::testing::link_state;

// A monitor of clusters, and all that its log says.
struct logged_monitor {
    kcontrol::testing::sim_world world;
    std::string told;
    kcontrol::logger log{[this](const kcontrol::log_record& r) {
        told += std::string(to_string(r.level)) + " " + std::string(r.message);
        for (const auto& f : r.fields) told += " " + std::string(f.name) + "=" + f.value;
        told += "\n";
    }};
    std::optional<training_monitor::monitor> watched;

    bool has(const std::string& text) const { return told.find(text) != std::string::npos; }
    void start(std::vector<kcontrol::desired_cluster> desired) {
        watched.emplace(world.env(), world.get_executor(), training_monitor::options(), world.network().factory(), log);
        REQUIRE(watched->start(std::make_unique<kcontrol::fixed_source>(std::move(desired)), {}));
    }
    void stop() {
        CHECK(world.ends_within(1min, watched->stop()));
        world.run_for(2s);
    }
};

TEST_CASE("monitor: its log tells of clusters that can't be reached, and of those that can again") {
    logged_monitor m;
    auto& good = m.world.add_server("good");
    auto& bad = m.world.add_server("bad");
    m.world.network().set_link("bad", link_state::refused);
    std::vector<kcontrol::desired_cluster> desired;
    desired.emplace_back("good", good.config());
    desired.emplace_back("bad", bad.config());
    desired.emplace_back("broken", kcontrol::error(kcontrol::errc::invalid_config, "no such context"));
    m.start(std::move(desired));
    m.world.run_for(2s);
    CAPTURE(m.told);
    CHECK(m.has("info the cluster is live cluster=good\n"));
    CHECK(m.has("warning the cluster is unreachable cluster=bad reason=bad: connection refused\n"));
    CHECK(m.has("warning the cluster is failed cluster=broken reason=no such context\n"));
    CHECK_FALSE(m.has("shown as"));
    m.told.clear();
    m.world.run_for(2min);
    CHECK(m.told.empty());
    m.world.network().set_link("bad", link_state::up);
    m.world.run_for(1min);
    CHECK(m.has("info the cluster is live cluster=bad after_seconds="));
    CHECK_FALSE(m.has("shown as"));
    m.stop();
}

TEST_CASE("monitor: a hundred dead clusters are a hundred lines of its log, until they live and leave") {
    const auto size = static_cast<int>(kcontrol::test::as_many_as(100));
    logged_monitor m;
    std::vector<kcontrol::desired_cluster> desired;
    for (int i = 0; i < size; ++i) {
        const std::string name = "c" + std::to_string(i);
        desired.emplace_back(name, m.world.add_server(name).config());
        m.world.network().set_link(name, link_state::refused);
    }
    m.start(std::move(desired));
    m.world.run_for(1min);
    const auto lines = [&] { return std::count(m.told.begin(), m.told.end(), '\n'); };
    CAPTURE(m.told);
    CHECK(lines() == size);
    CHECK(m.has("warning the cluster is unreachable cluster=c19 reason=c19: connection refused\n"));
    m.told.clear();
    for (int i = 0; i < size; ++i) m.world.network().set_link("c" + std::to_string(i), link_state::up);
    m.world.run_for(2min);
    // Some come back kind by kind, and are degraded for a moment; each is live once.
    int live = 0;
    const std::string line = "info the cluster is live cluster=";
    for (auto at = m.told.find(line); at != m.told.npos; at = m.told.find(line, at + 1)) ++live;
    CHECK(live == size);
    CHECK_FALSE(m.has("the informer is"));
    m.told.clear();
    m.stop();
    CHECK(lines() == 0);
}

TEST_CASE("monitor: a cluster whose every kind is forbidden has failed, in its log, too, until one is permitted") {
    logged_monitor m;
    auto& server = m.world.add_server("a");
    server.api().access().forbid({"*", "*", "jobs"});
    m.start({kcontrol::desired_cluster("a", server.config())});
    m.world.run_for(5s);
    CAPTURE(m.told);
    const auto state = [&] { return m.watched->table().clusters().at(0)->state; };
    CHECK(state() == "failed");
    CHECK(m.has("warning the cluster is shown as failed cluster=a reason=every kind is forbidden: "));
    m.told.clear();
    m.world.run_for(5min);
    CHECK_FALSE(m.has("shown as"));
    server.api().access().permit_all();
    m.world.run_for(5min);
    CHECK(state() == "live");
    CHECK(m.has("the cluster is live cluster=a"));
    m.stop();
}

TEST_CASE("monitor: a cluster that forbids pods only is live, in its log, too") {
    logged_monitor m;
    auto& server = m.world.add_server("a");
    server.api().access().forbid({"*", "*", "pods"});
    m.start({kcontrol::desired_cluster("a", server.config())});
    m.world.run_for(5s);
    CAPTURE(m.told);
    CHECK(m.watched->table().clusters().at(0)->state == "live");
    CHECK(m.has("info the cluster is shown as live cluster=a\n"));
    m.stop();
}

TEST_CASE("monitor: its metrics have the requests to each cluster, by client-go's names") {
    logged_monitor m;
    auto& server = m.world.add_server("a");
    m.start({kcontrol::desired_cluster("a", server.config())});
    m.world.run_for(5s);
    const std::string text = m.watched->metrics().text();
    CAPTURE(text);
    const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    CHECK(has("# TYPE rest_client_requests_total counter\n"));
    CHECK(has("rest_client_requests_total{cluster=\"a\",code=\"200\","));
    CHECK(has("# TYPE rest_client_request_duration_seconds histogram\n"));
    CHECK(has("kcontrol_cluster_state{cluster=\"a\",state=\"live\"} 1\n"));
    m.stop();
}

}  // namespace
