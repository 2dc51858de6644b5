#include "output/urgency.hpp"

#include "fleet.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace training_monitor;
using tests::a_job;

namespace {

std::string names(const job_table& table, std::string_view search = {}) {
    std::string out;
    for (const auto* job : by_urgency(table, job_search(search), tests::now)) {
        out.append(out.empty() ? "" : " ").append(job->name);
    }
    return out;
}

}  // namespace

TEST_CASE("urgency: failures first, the newest of them first; what failed long ago comes near the end") {
    job_table table;
    table.add(a_job("a-done", job_state::succeeded));
    table.add(a_job("b-runs", job_state::running));
    table.add(a_job("c-old", job_state::failed, "1", 25 * 3600));
    table.add(a_job("d-failed", job_state::failed, "1", 600));
    table.add(a_job("e-waits", job_state::pending));
    table.add(a_job("f-failed", job_state::failed, "1", 60));
    table.add(a_job("g-restarts", job_state::restarting));
    table.add(a_job("h-held", job_state::suspended));
    table.add(a_job("i-waits", job_state::queued));
    CHECK(names(table) == "f-failed d-failed g-restarts e-waits i-waits b-runs h-held c-old a-done");
    table.update(a_job("b-runs", job_state::failed, "2", 1));
    CHECK(names(table).starts_with("b-runs f-failed"));
}

TEST_CASE("urgency: a search wants all of its words, wherever they are and whatever their case") {
    job_table table;
    auto bert = a_job("bert", job_state::failed);
    bert.view.why = "Worker 1 on n1: exit code 137, killed (SIGKILL)";
    bert.view.labels = job_labels::from(std::map<std::string, std::string>{{"team", "NLP"}});
    table.add(bert);
    table.add(a_job("gpt", job_state::running));
    CHECK(names(table, "") == "bert gpt");
    CHECK(names(table, "  ") == "bert gpt");
    CHECK(names(table, "BER") == "bert");
    CHECK(names(table, "job ml") == "bert gpt");
    CHECK(names(table, "sigkill failed") == "bert");
    CHECK(names(table, "team=nlp") == "bert");
    CHECK(names(table, "running  gpt") == "gpt");
    CHECK(names(table, "running bert").empty());
}

TEST_CASE("urgency: of jobs that failed for one cause the first is the row") {
    job_table table;
    const auto fail = [&](std::string name, std::string node, std::int64_t ago) {
        auto job = a_job(std::move(name), job_state::failed, "1", ago);
        job.view.failure = job_failure{std::move(node), 1, "XID 79", {}};
        table.add(job);
    };
    fail("a", "gpu-3", 60);
    fail("b", "gpu-3", 120);
    fail("c", "gpu-4", 90);
    fail("d", "gpu-3", 6000);       // long before
    fail("e", "gpu-3", 25 * 3600);  // nobody looks at it
    table.add(a_job("runs", job_state::running));
    auto jobs = by_urgency(table, {}, tests::now);
    const auto rows = fold_causes(jobs, tests::now);
    std::string out;
    for (const auto* job : jobs) {
        out += (out.empty() ? "" : " ") + job->name;
        if (const auto more = rows.find(job); more != rows.end()) out += "+" + std::to_string(more->second);
    }
    CHECK(out == "a+1 c d runs e");
}
