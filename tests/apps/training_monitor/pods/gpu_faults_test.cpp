// The fault of a node's GPU in the reason of a failure there: of a simulated cluster.
#include "simulated_monitor.hpp"

#include <string>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;

namespace {

std::string faulty(const std::string& since, const std::string& type = "kcontrol.dev/GPUHealthy") {
    return R"({"conditions":[{"type":")" + type +
           R"(","status":"False","reason":"GPUFailed","message":"GPU 3 (GPU-a): XID 79: off the bus",)"
           R"("lastTransitionTime":")" +
           since + R"("}]})";
}

// The job runs on n1, and fails at 10:00:00.
struct failing_job : simulated_monitor {
    failing_job() {
        make_job();
        make_pod("train-x", "n1", R"({"phase":"Running"})");
        set_job(R"({"active":1,"ready":1,"startTime":"2026-11-21T09:00:00Z"})");
        start();
    }
    void fail() {
        set_status("", "pods", {"default", "train-x"}, pod_that_failed);
        set_job(R"({"active":0})");
        set_job(job_that_failed);
    }
    std::size_t node_watches() { return server.api().request_log().count("watch", "nodes"); }
    std::size_t node_lists() { return server.api().request_log().count("list", "nodes"); }
};

}  // namespace

TEST_CASE("GPU faults: a failure names the fault of its node around that time, and no other") {
    struct row {
        const char* what;
        const char* node;
        std::string status;
        const char* clause;
    };
    const row rows[] = {
        {"before", "n1", faulty("2026-11-21T09:59:20Z"), ", 40 s after XID 79 of GPU 3"},
        {"long before", "n1", faulty("2026-11-21T09:49:59Z"), ""},
        {"told a little later", "n1", faulty("2026-11-21T10:00:20Z"), ", with XID 79 of GPU 3"},
        {"long after", "n1", faulty("2026-11-21T10:00:31Z"), ""},
        {"another node", "n2", faulty("2026-11-21T09:59:20Z"), ""},
        {"another condition", "n1", faulty("2026-11-21T09:59:20Z", "Ready"), ""},
        {"no condition", "n1", R"({"conditions":[]})", ""},
    };
    for (const auto& each : rows) {
        const auto& [what, node, status, clause] = each;
        CAPTURE(each.what);
        failing_job f;
        f.make_node(node, status);
        f.fail();
        f.world.run_for(6s);
        REQUIRE(f.train());
        CHECK(f.train()->why == std::string("pod train-x on n1: exit code 1") + clause);
    }
}

TEST_CASE("GPU faults: one that the node tells after the job has failed is found, and is an event of the job") {
    failing_job f;
    f.make_node("n1", R"({"conditions":[]})");
    f.fail();
    f.world.run_for(6s);
    f.set_status("", "nodes", {"", "n1"}, faulty("2026-11-21T10:00:05Z"));
    f.world.run_for(20s);
    CHECK(f.train()->why.ends_with(", with XID 79 of GPU 3"));
    const auto events = f.watched->knowledge().evidence(ref_of(*f.train())).events;
    REQUIRE_FALSE(events.empty());
    CHECK(events.back().kind == "Node");
    CHECK(events.back().name == "n1");
    f.world.run_for(2min);
    const auto asked = f.node_lists();
    f.world.run_for(1h);
    CHECK(f.node_lists() == asked);  // it is over
}

TEST_CASE(
    "GPU faults: one that the node tells minutes later is joined when it does, and the node is watched no longer") {
    failing_job f;
    f.make_node("n1", R"({"conditions":[]})");
    f.fail();
    f.world.run_for(5min);
    CHECK(f.train()->why.find("XID") == std::string::npos);
    f.world.network().break_connections(f.server.name());
    f.world.run_for(1min);
    f.set_status("", "nodes", {"", "n1"}, faulty("2026-11-21T10:00:05Z"));
    f.world.run_for(2s);
    CHECK(f.train()->why.ends_with(", with XID 79 of GPU 3"));
    const auto watches = f.node_watches();
    f.world.run_for(1h);
    CHECK(f.node_watches() == watches);
}

TEST_CASE("GPU faults: a node that tells nothing is watched for ten minutes, once for all jobs that failed there") {
    failing_job f;
    f.make_node("n1", R"({"conditions":[]})");
    f.fail();
    f.world.run_for(11min);
    const auto watches = f.node_watches();
    CHECK(watches >= 2);  // each ends after five minutes
    CHECK(watches <= 4);
    f.set_status("", "nodes", {"", "n1"}, faulty("2026-11-21T10:00:05Z"));
    f.world.run_for(1h);
    CHECK(f.node_watches() == watches);
    CHECK(f.train()->why.find("XID") == std::string::npos);
}

TEST_CASE("GPU faults: without the right to list nodes the reason is the pod's") {
    failing_job f;
    f.server.api().access().forbid({"*", "list", "nodes"});
    f.make_node("n1", faulty("2026-11-21T09:59:20Z"));
    f.fail();
    f.world.run_for(30s);
    CHECK(f.train()->why.starts_with("pod train-x on n1: exit code 1"));
    CHECK(f.train()->why.find("XID") == std::string::npos);
    CHECK(f.node_lists() <= 2);
}
