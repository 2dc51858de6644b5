#include "output/job_page.hpp"

#include "fleet.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace training_monitor;

namespace {

job_view failed_job() {
    auto out = tests::a_job("bert", job_state::failed).view;
    out.message = "it reached the backoff limit";
    out.reason = "BackoffLimitExceeded";
    out.why = "Worker 1 on n1: exit code 137, killed (SIGKILL), out of memory";
    out.gpus = 16;
    out.replicas = {{"Worker", 2, 0, 1, 1}};
    return out;
}

known_of_job known() {
    known_of_job out;
    pod_row good, bad;
    good.name = "bert-worker-0";
    good.phase = "Succeeded";
    bad.name = "bert-worker-1";
    bad.phase = "Failed";
    bad.node = "n1";
    bad.restarts = 3;
    bad.created = tests::now_seconds - 7200;
    bad.failed = container_end{"pytorch", 137, "OOMKilled", "no memory", {}, false, false};
    out.evidence.pods = {good, bad};
    out.evidence.events = {
        {"Pod", "bert-worker-1", "Warning", "BackOff", "Back-off\nrestarting \x1b[2J it", 4, tests::now_seconds - 300}};
    return out;
}

std::string text(const job_view& job, const known_of_job& k, text_layout layout = {}) {
    std::string out;
    for (const auto& line : job_page(job, k, tests::now, layout)) out += line + "\n";
    return out;
}

}  // namespace

TEST_CASE("job page: how busy its GPUs are") {
    auto k = known();
    k.usage.emplace();
    k.usage->reason = "node n1: no GPU labeler\x1b[2J runs there";
    CHECK(text(failed_job(), k).find("GPUs busy  unknown: node n1: no GPU labeler\\x1b[2J runs there\n") !=
          std::string::npos);
    k.usage->state = job_usage::state_type::known;
    k.usage->utilization_mean = k.usage->utilization_least = 0;
    k.usage->idle_since = tests::now - std::chrono::minutes(61);
    const auto shown = text(failed_job(), k);
    CHECK(shown.find("GPUs       16\n"
                     "GPUs busy  0 % on average, 0 % the least\n"
                     "GPUs idle  all at 0 % for 1 h 1 min\n"
                     "Started ") != std::string::npos);
}

TEST_CASE("job page: why first, then what it is, its pods and what events say") {
    CHECK(text(failed_job(), known()) ==
          "bert  Failed\n"
          "BackoffLimitExceeded: Worker 1 on n1: exit code 137, killed (SIGKILL), out of memory\n"
          "\n"
          "Cluster    a\n"
          "Namespace  ml\n"
          "Kind       Job (batch/v1)\n"
          "GPUs       16\n"
          "Started    1970-01-11T10:00:00Z\n"
          "Finished   1970-01-12T13:45:40Z\n"
          "Duration   1d3h\n"
          "Replicas   Worker:1/2 ok 1 failed\n"
          "\n"
          "Pods\n"
          "POD            RANK  NODE  PHASE      RESTARTS  AGE   EXIT                                 REASON\n"
          "bert-worker-1  -     n1    Failed     3         2h0m  137 killed (SIGKILL), out of memory  OOMKilled: no "
          "memory\n"
          "bert-worker-0  -     -     Succeeded  0         -\n"
          "\n"
          "Events\n"
          "5m0s ago, Pod bert-worker-1, Warning BackOff (4 times)\n"
          "  Back-off\n"
          "  restarting \\x1b[2J it\n");
}

TEST_CASE("job page: a narrow terminal has all of the reason, in more lines") {
    const auto page = text(failed_job(), known(), text_layout().columns(40).marks(true));
    CHECK(
        page.starts_with("bert  ! Failed\n"
                         "BackoffLimitExceeded: Worker 1 on n1:\n"
                         "exit code 137, killed (SIGKILL), out of\n"
                         "memory\n"));
    CHECK(page.find("POD            ") != std::string::npos);
}

TEST_CASE("job page: rights that are missing are named; of very many pods the first are shown") {
    known_of_job k;
    k.rights = {right_state::missing, right_state::missing};
    for (int i = 0; i < 205; ++i) {
        pod_row pod;
        pod.name = "p" + std::to_string(i);
        k.evidence.pods.push_back(pod);
    }
    const auto page = text(failed_job(), k);
    CHECK(page.find("… and 5 more\n") != std::string::npos);
    CHECK(page.find("Rights that are missing\ngrant list and watch on pods to see the pods") != std::string::npos);
    CHECK(page.find("\ngrant list on events to see") != std::string::npos);
}

TEST_CASE("job page: pods of an earlier job of the same name are none of its pods") {
    auto k = known();
    k.evidence.pods[0].owner_kind = "Job";
    k.evidence.pods[0].owner_uid = "another";
    CHECK(text(failed_job(), k).find("bert-worker-0") == std::string::npos);
}
