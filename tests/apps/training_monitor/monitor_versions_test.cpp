// A job that runs and ends before anybody looks: the monitor shows each state that it was in.
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

TEST_CASE("monitor: states that follow each other at once are each shown") {
    kcontrol::testing::sim_world world;
    auto& server = world.add_server("a");
    std::optional<training_monitor::monitor> watched;
    watched.emplace(world.env(), world.get_executor(), training_monitor::options(), world.network().factory(),
                    kcontrol::logger());
    std::string shown;
    const auto publish = [&](const std::vector<training_monitor::change>& changes) {
        for (const auto& one : changes) {
            if (one.type == training_monitor::change_type::job) shown += std::string(to_string(one.job->state)) + " ";
            if (one.type == training_monitor::change_type::job_removed) shown += "gone ";
        }
    };
    REQUIRE(watched->start(
        std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
        publish));
    world.run_for(5s);
    auto& api = server.api();
    const kcontrol::testing::group_resource jobs{"batch", "jobs"};
    const kcontrol::namespaced_name key{"default", "quick"};
    const auto set_status = [&](const kcontrol::json::value& status) {
        REQUIRE(api.patch(jobs, key, {{"status", status}}, "status"));
    };
    REQUIRE(api.create({{"apiVersion", "batch/v1"},
                        {"kind", "Job"},
                        {"metadata", {{"name", "quick"}, {"namespace", "default"}}},
                        {"spec", {{"parallelism", 1}}}}));
    set_status({{"active", 1}, {"ready", 1}, {"startTime", "2026-01-01T00:00:00Z"}});
    set_status(
        {{"active", 0}, {"ready", 0}, {"succeeded", 1}, {"conditions", {{{"type", "Complete"}, {"status", "True"}}}}});
    static_cast<void>(api.remove(jobs, key));
    world.run_for(5s);
    CHECK(shown == "Created Running Succeeded gone ");
    CHECK(world.ends_within(1min, watched->stop()));
    world.run_for(2s);
}

}  // namespace
