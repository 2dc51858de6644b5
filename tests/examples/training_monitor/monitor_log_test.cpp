// What the monitor's log says of its clusters: all that its lines and its page say, whatever --output is.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using kcontrol::log_level;
using kcontrol::testing::link_state;

TEST_CASE("monitor: its log tells of clusters that can't be reached, and of those that can again") {
    kcontrol::testing::sim_world world;
    auto& good = world.add_server("good");
    auto& bad = world.add_server("bad");
    world.network().set_link("bad", link_state::refused);
    std::string told;
    const kcontrol::logger log([&told](const kcontrol::log_record& r) {
        told += std::string(to_string(r.level)) + " " + std::string(r.message);
        for (const auto& f : r.fields) told += " " + std::string(f.name) + "=" + f.value;
        told += "\n";
    });
    const auto has = [&told](const std::string& text) { return told.find(text) != std::string::npos; };
    std::optional<training_monitor::monitor> watched;
    watched.emplace(world.env(), world.get_executor(), training_monitor::options(), world.network().factory(), log);
    std::vector<kcontrol::desired_cluster> desired;
    desired.emplace_back("good", good.config());
    desired.emplace_back("bad", bad.config());
    desired.emplace_back("broken", kcontrol::error(kcontrol::errc::invalid_config, "no such context"));
    REQUIRE(watched->start(std::make_unique<kcontrol::fixed_source>(std::move(desired)), {}));
    world.run_for(2s);
    CAPTURE(told);
    CHECK(has("info the cluster is live cluster=good\n"));
    CHECK(has("warning the cluster is unreachable cluster=bad reason=bad: connection refused\n"));
    CHECK(has("warning the cluster is failed cluster=broken reason=no such context\n"));
    CHECK(has("warning the informer is failed cluster=bad kind=Job reason=bad: connection refused\n"));
    told.clear();
    world.run_for(2min);
    CHECK(told.empty());
    world.network().set_link("bad", link_state::up);
    world.run_for(1min);
    CHECK(has("info the cluster is live cluster=bad after_seconds="));
    CHECK(world.ends_within(1min, watched->stop()));
    world.run_for(2s);
}

}  // namespace
