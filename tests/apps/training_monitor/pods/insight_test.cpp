// Pods and events of a simulated cluster: what the monitor says of a job, and what it asks the server for.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "monitor.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace training_monitor;
using kcontrol::json::value;

const kcontrol::testing::group_resource jobs{"batch", "jobs"}, pods{"", "pods"};
const job_ref train{"a", "default", "Job", "train"};

struct fixture {
    fixture() {
        watched.emplace(world.env(), world.get_executor(), options(), world.network().factory(), kcontrol::logger());
        REQUIRE(watched->start(
            std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
            [this](const std::vector<change>& changes) { told += changes.size(); }));
        world.run_for(5s);
    }
    ~fixture() {
        CHECK(world.ends_within(1min, watched->stop()));
        world.run_for(2s);
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    void make_job() {
        REQUIRE(server.api().create({{"apiVersion", "batch/v1"},
                                     {"kind", "Job"},
                                     {"metadata", {{"name", "train"}, {"namespace", "default"}}},
                                     {"spec", {{"parallelism", 1}}}}));
    }
    void set_job(const value& status) {
        REQUIRE(server.api().patch(jobs, {"default", "train"}, {{"status", status}}, "status"));
    }
    void make_pod(const std::string& name, const value& status,
                  const std::string& label = "batch.kubernetes.io/job-name") {
        REQUIRE(server.api().create(
            {{"apiVersion", "v1"},
             {"kind", "Pod"},
             {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{label, "train"}}}}},
             {"spec", {{"nodeName", "n1"}, {"containers", {{{"name", "main"}, {"image", "x"}}}}}}}));
        REQUIRE(server.api().patch(pods, {"default", name}, {{"status", status}}, "status"));
    }
    std::string why() {
        const auto job = watched->table().find("a", "default", "Job", "train");
        return job ? job->why : "no job";
    }

    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("a");
    std::optional<monitor> watched;
    std::size_t told = 0;
};

value failed_pod() {
    return {{"phase", "Failed"},
            {"containerStatuses",
             {{{"name", "main"},
               {"restartCount", 0},
               {"state", {{"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}}}}}}};
}

}  // namespace

TEST_CASE("insight: a job that failed says what its pod died of, and what its pods came to") {
    fixture f;
    f.make_job();
    f.make_pod("train-x", failed_pod());
    f.set_job({{"failed", 0},
               {"active", 1},
               {"startTime", "2026-01-01T00:00:00Z"},
               {"conditions", {{{"type", "Failed"}, {"status", "True"}, {"reason", "BackoffLimitExceeded"}}}}});
    f.world.run_for(2s);
    CHECK(f.why() == "pod train-x on n1: exit code 137, killed (SIGKILL), out of memory (OOMKilled)");
    const auto job = f.watched->table().find("a", "default", "Job", "train");
    REQUIRE(job);
    CHECK(job->reason == "BackoffLimitExceeded");
    CHECK(job->replicas == std::vector<replica_counts>{{"Pod", 1, 0, 0, 1}});
    CHECK(f.watched->table().clusters().front()->pods == "live");
}

TEST_CASE("insight: a pod without a training label is not watched") {
    fixture f;
    f.make_pod("web", failed_pod(), "app");
    f.world.run_for(2s);
    CHECK(f.watched->knowledge().pods().size() == 0);
}

TEST_CASE("insight: a job that waits says what events say, and each is asked for a few times only") {
    fixture f;
    f.make_job();
    f.world.run_for(1s);
    const auto job = f.watched->table().find("a", "default", "Job", "train");
    REQUIRE(job);
    CHECK(job->why.empty());
    REQUIRE(f.server.api().create({{"apiVersion", "v1"},
                                   {"kind", "Event"},
                                   {"metadata", {{"name", "e1"}, {"namespace", "default"}}},
                                   {"involvedObject", {{"kind", "Job"}, {"name", "train"}, {"uid", job->uid}}},
                                   {"type", "Warning"},
                                   {"reason", "FailedCreate"},
                                   {"message", "exceeded quota: gpus"}}));
    f.world.run_for(5s);
    CHECK(f.why() == "Job train: FailedCreate: exceeded quota: gpus");
    CHECK(f.watched->knowledge().rights("a").events == right_state::given);
    // It runs: what was said of its waiting is not true any more.
    f.set_job({{"active", 1}, {"ready", 1}, {"startTime", "2026-01-01T00:00:00Z"}});
    f.world.run_for(2s);
    CHECK(f.why().empty());
}

TEST_CASE("insight: whether logs and the object may be read is asked when somebody looks, and again after a minute") {
    fixture f;
    f.make_job();
    f.world.run_for(1s);
    auto& known = f.watched->knowledge();
    CHECK(known.rights_for(train).logs == right_state::unknown);
    f.server.api().access().forbid({"*", "get", "pods/log"});
    known.look(train);
    f.world.run_for(2s);
    CHECK(known.rights_for(train).logs == right_state::missing);
    CHECK(known.rights_for(train).yaml == right_state::given);
    CHECK(known.rights_for({"a", "other", "Job", "train"}).logs == right_state::unknown);
    const auto reviews = [&] { return f.server.api().request_log().count("create", "selfsubjectaccessreviews"); };
    const auto before = reviews();
    known.look(train);
    f.world.run_for(11s);
    known.look(train);
    f.world.run_for(2s);
    CHECK(reviews() == before);
    f.server.api().access().permit_all();
    f.world.run_for(1min);
    known.look(train);
    f.world.run_for(2s);
    CHECK(reviews() == before + 2);
    CHECK(known.rights_for(train).logs == right_state::given);
}

TEST_CASE("insight: a pod that is deleted leaves its failure until its job goes") {
    fixture f;
    f.make_job();
    f.make_pod("train-x", failed_pod());
    f.set_job({{"failed", 1}, {"startTime", "2026-01-01T00:00:00Z"}});
    f.world.run_for(2s);
    static_cast<void>(f.server.api().remove(pods, {"default", "train-x"}));
    f.world.run_for(2s);
    CHECK(f.why().find("exit code 137") != std::string::npos);
    CHECK(f.watched->knowledge().pods().size() == 0);
    static_cast<void>(f.server.api().remove(jobs, {"default", "train"}));
    f.world.run_for(2s);
    CHECK_FALSE(f.watched->knowledge().pods().has(train));
}
