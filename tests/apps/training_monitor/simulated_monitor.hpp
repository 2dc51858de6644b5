// A monitor of one simulated cluster, "a": what it shows of the objects there.
#pragma once

#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor::tests {

struct simulated_monitor {
    simulated_monitor() = default;
    simulated_monitor(const simulated_monitor&) = delete;
    simulated_monitor& operator=(const simulated_monitor&) = delete;
    ~simulated_monitor() {
        using namespace std::chrono_literals;
        if (!watched) return;
        CHECK(world.ends_within(1min, watched->stop()));
        world.run_for(2s);
    }

    void start(const options& how = {}, kcontrol::http::transport_factory by = {}) {
        using namespace std::chrono_literals;
        if (!by) by = world.network().factory();
        watched.emplace(world.env(), world.get_executor(), how, std::move(by), kcontrol::logger());
        REQUIRE(watched->start(
            std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
            {}));
        world.run_for(5s);
    }

    // `text` is JSON, as are the statuses below.
    void create(const std::string& text) { REQUIRE(server.api().create(kcontrol::json::parse(text).value())); }
    void set_status(const std::string& group, const std::string& resource, const kcontrol::namespaced_name& key,
                    const std::string& text) {
        const auto patch = kcontrol::json::parse(R"({"status":)" + text + "}").value();
        REQUIRE(server.api().patch({group, resource}, key, patch, "status"));
    }
    void make_node(const std::string& name, const std::string& status, const std::string& spec = "{}") {
        create(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
        set_status("", "nodes", {"", name}, status);
    }
    // The batch Job train, whose pods have eight GPUs each.
    void make_job() {
        create(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"default"},)"
               R"("spec":{"parallelism":1,"template":{"spec":{"containers":[{"name":"main","image":"x",)"
               R"("resources":{"limits":{"nvidia.com/gpu":"8"}}}]}}}})");
    }
    void set_job(const std::string& status) { set_status("batch", "jobs", {"default", "train"}, status); }
    void make_pod(const std::string& name, const std::string& node, const std::string& status) {
        create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
               R"(","namespace":"default","labels":{"batch.kubernetes.io/job-name":"train"}},"spec":{"nodeName":")" +
               node +
               R"(","containers":[{"name":"main","image":"x","resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})");
        set_status("", "pods", {"default", name}, status);
    }
    std::shared_ptr<const job_view> train() { return watched->table().find("a", "default", "Job", "train"); }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("a");
    std::optional<monitor> watched;
};

/// The status of a pod whose container failed at 10:00:00.
inline constexpr const char* pod_that_failed =
    R"({"phase":"Failed","containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":)"
    R"({"exitCode":1,"reason":"Error","finishedAt":"2026-11-21T10:00:00Z"}}}]})";
/// The status of the job then.
inline constexpr const char* job_that_failed =
    R"({"failed":1,"startTime":"2026-11-21T09:00:00Z","conditions":[{"type":"Failed","status":"True",)"
    R"("reason":"BackoffLimitExceeded"}]})";

}  // namespace training_monitor::tests
