// The last lines of a failed container's log, as messages have them.
#include "parts.hpp"

#include "simulated_monitor.hpp"

#include <string>
#include <vector>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;

namespace {

using lines = std::vector<std::string>;

struct failed_job_world : simulated_monitor {
    failed_job_world() {
        make_job();
        make_pod("train-x", "n1", pod_that_failed);
        set_job(R"({"active":0})");
        set_job(job_that_failed);
        server.api().write_log({"default", "train-x"}, "main", "loss 2.31\nHF_TOKEN=hf_abcdefghijklmnop\nRuntimeError");
        start();
        REQUIRE(train());
        REQUIRE(train()->state == job_state::failed);
    }
    lines read(std::size_t most) {
        const auto reader = failure_log_reader(options().logs_in_messages(true), *watched);
        REQUIRE(reader);
        return world.run(reader(train(), most, {}), 30s);
    }
    std::size_t log_reads() { return server.api().request_log().count("get", "pods/log"); }
};

}  // namespace

TEST_CASE_FIXTURE(failed_job_world, "failure log: the last lines, masked") {
    CHECK(read(2) == lines{"HF_TOKEN=[masked]", "RuntimeError"});
    CHECK(read(20).size() == 3);
}

TEST_CASE_FIXTURE(failed_job_world, "failure log: of a container that was started again, the run that failed") {
    server.api().restart_log({"default", "train-x"}, "main");
    server.api().write_log({"default", "train-x"}, "main", "again");
    set_status("", "pods", {"default", "train-x"},
               R"({"phase":"Running","containerStatuses":[{"name":"main","restartCount":1,"state":{"running":{}},)"
               R"("lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"2026-11-21T10:00:00Z"}}}]})");
    world.run_for(2s);
    CHECK(read(1) == lines{"RuntimeError"});
}

TEST_CASE_FIXTURE(failed_job_world, "failure log: nothing reads it unless messages carry logs") {
    CHECK_FALSE(failure_log_reader(options(), *watched));
}

TEST_CASE_FIXTURE(failed_job_world, "failure log: without the right, or of a pod that is gone, there are no lines") {
    server.api().access().forbid({"*", "get", "pods/log"});
    CHECK(read(5).empty());
    server.api().access().permit_all();
    CHECK(read(1) == lines{"RuntimeError"});
    CHECK(
        server.api().remove({"", "pods"}, {"default", "train-x"}, kcontrol::testing::delete_request().grace_period(0)));
    world.run_for(2s);
    CHECK(read(5).empty());
}

TEST_CASE_FIXTURE(failed_job_world, "failure log: a kubelet that hangs holds a message up for ten seconds") {
    server.api().set_faults([](const kcontrol::http::server_request& r) {
        const bool of_log = r.target.find("/log?") != std::string::npos;
        return of_log ? kcontrol::testing::fault().hang() : kcontrol::testing::fault();
    });
    const auto began = world.env().now();
    CHECK(read(5).empty());
    const auto took = world.env().now() - began;
    CHECK(took > 1s);
    CHECK(took <= 11s);
}
