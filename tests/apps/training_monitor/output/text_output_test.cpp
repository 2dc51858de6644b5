#include "output/text_output.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace training_monitor;

namespace {

const kcontrol::wall_time now{std::chrono::seconds(1000)};

std::shared_ptr<const job_view> job(std::string name, job_state state) {
    job_view out;
    out.cluster = "a";
    out.namespace_ = "ml";
    out.name = std::move(name);
    out.kind = "PyTorchJob";
    out.api_version = "kubeflow.org/v1";
    out.uid = "u1";
    out.state = state;
    out.reason = "Because";
    out.start_time = 100;
    out.gpus = 8;
    out.replicas = {{"Master", 1, 1, 0, 0}, {"Worker", 2, 1, 0, 0}};
    if (is_final(state)) out.completion_time = 160;
    return std::make_shared<const job_view>(out);
}

std::shared_ptr<const cluster_view> cluster(std::string state, std::string reason = "") {
    cluster_view out;
    out.name = "a";
    out.state = std::move(state);
    out.reason = std::move(reason);
    out.server = "https://a:6443";
    out.generation = 1;
    out.kinds = {{"Job", "batch/v1", "live", "", 3, 1, 2, ""}, {"MPIJob", "kubeflow.org/v1", "live", "", 1, 1, 1, ""}};
    return std::make_shared<const cluster_view>(out);
}

change job_change(std::string name, job_state state, std::optional<job_state> previous) {
    change c;
    c.id = 7;
    c.job = job(std::move(name), state);
    c.previous = previous;
    return c;
}

}  // namespace

TEST_CASE("the table lines up") {
    CHECK(snapshot_text({cluster("live")}, {job("bert", job_state::running), job("gpt", job_state::failed)}, now, {}) ==
          "CLUSTER  STATE  GEN  LISTS  WATCHES  OBJECTS  SERVER          REASON\n"
          "a        live   1    2      3        4        https://a:6443\n"
          "\n"
          "CLUSTER  NAMESPACE  NAME  KIND        STATE    DURATION  GPUS  REPLICAS                     REASON\n"
          "a        ml         bert  PyTorchJob  Running  15m0s     8     Master:1/1 Worker:1/2        Because\n"
          "a        ml         gpt   PyTorchJob  Failed   1m0s      8     Master:0/1 ok Worker:0/2 ok  Because\n");
    CHECK(snapshot_text({cluster("live")}, {}, now, {}).ends_with("\nNo jobs.\n"));
    CHECK(snapshot_text({cluster("failed")}, {}, now, {})
              .ends_with("\nNo jobs are known: 1 of 1 cluster can't be read.\n"));
    CHECK(snapshot_text({}, {}, now, {}, "the file k")
              .ends_with("\nNo jobs are known: no clusters: the file k has none.\n"));
}

TEST_CASE("what the pods say is the reason; where all is shown, both are") {
    auto failed = *job("gpt", job_state::failed);
    failed.message = "it reached the backoff limit";
    failed.why = "Worker 1 on n1: exit code 137, killed (SIGKILL)";
    failed.replicas = {{"Worker", 2, 0, 1, 1}};
    const job_table::job_list jobs{std::make_shared<const job_view>(failed)};
    CHECK(snapshot_text({}, jobs, now, {}).ends_with("Worker:1/2 ok 1 failed  " + failed.why + "\n"));
    CHECK(snapshot_text({}, jobs, now, text_layout().wide(true)).ends_with("Because: " + failed.why + "\n"));
}

TEST_CASE("names and messages can't steer the terminal") {
    const auto text =
        snapshot_text({cluster("failed", "\x1b[2Jgone\r\n")}, {job("\x1b]0;x\a", job_state::running)}, now, {});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\r') == std::string::npos);
    CHECK(text.find("\\x1b[2Jgone") != std::string::npos);
}

TEST_CASE("colors mark states only") {
    text_layout layout;
    layout.color(true);
    const auto text = snapshot_text({cluster("live")}, {job("bert", job_state::running)}, now, layout);
    CHECK(text.find("\x1b[32mRunning\x1b[0m  ") != std::string::npos);
}

TEST_CASE("changes as lines for people") {
    CHECK(change_text(job_change("bert", job_state::running, job_state::pending), nullptr, now) ==
          "1970-01-01T00:16:40Z a ml/bert PyTorchJob Pending -> Running Master:1/1 Worker:1/2 (Because)\n");
    auto removed = job_change("bert", job_state::running, std::nullopt);
    removed.type = change_type::job_removed;
    CHECK(change_text(removed, nullptr, now) == "1970-01-01T00:16:40Z a ml/bert PyTorchJob removed, last Running\n");
    change c;
    c.type = change_type::cluster;
    c.cluster = cluster("unreachable", "connection refused");
    CHECK(change_text(c, nullptr, now) ==
          "1970-01-01T00:16:40Z cluster a unreachable generation 1: connection refused\n");
    CHECK(change_text(c, c.cluster.get(), now).empty());
    c.type = change_type::cluster_removed;
    CHECK(change_text(c, nullptr, now) == "1970-01-01T00:16:40Z cluster a left\n");
}

TEST_CASE("changes and snapshots as JSON lines") {
    const auto line = change_json(job_change("bert", job_state::running, job_state::pending), now);
    CHECK(line.starts_with(R"({"id":7,"event":"job","data":{"cluster":"a",)"));
    CHECK(line.ends_with("}}\n"));
    const auto all = snapshot_json({cluster("live")}, {job("bert", job_state::running)}, now);
    CHECK(all.starts_with(R"({"clusters":[{"name":"a",)"));
    CHECK(all.find(R"(],"jobs":[{"cluster":"a",)") != std::string::npos);
}
