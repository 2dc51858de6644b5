#include "table/totals.hpp"

#include "table/job_table.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace training_monitor;
using kcontrol::wall_time;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(seconds)); }

job_counts running(std::uint64_t jobs) {
    job_counts out;
    out.states[static_cast<std::size_t>(job_state::running)] = jobs;
    return out;
}

// "time=running jobs" of each point.
std::string text(const std::vector<totals_point>& points) {
    std::string out;
    for (const auto& p : points) {
        out += (out.empty() ? "" : " ") + std::to_string(p.time) + "=" +
               std::to_string(p.counts.states[static_cast<std::size_t>(job_state::running)]);
    }
    return out;
}

observed_job job(std::string name, job_state state, std::int64_t gpus, std::string version = "1") {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = out.view.name = std::move(name);
    out.view.kind = "PyTorchJob";
    out.view.api_version = "kubeflow.org/v1";
    out.view.state = state;
    out.view.gpus = gpus;
    out.resource_version = std::move(version);
    return out;
}

}  // namespace

TEST_CASE("totals: a point a minute, in order, as many as are kept") {
    struct row {
        const char* what;
        std::vector<std::int64_t> times;
        const char* points;
    };
    const row rows[] = {
        {"none", {}, ""},
        {"the minute is what counts", {61}, "60=1"},
        {"the later word in a minute", {60, 90, 119}, "60=3"},
        {"one each", {60, 120, 180}, "60=1 120=2 180=3"},
        {"a pause leaves a gap", {60, 300}, "60=1 300=2"},
        {"before a long pause they are too old", {60, 120, 361}, "120=2 360=3"},
        {"the oldest go", {60, 120, 180, 240, 300}, "120=2 180=3 240=4 300=5"},
        {"the clock was set back", {60, 120, 180, 125}, "60=1 120=4"},
        {"far back", {600, 660, 30}, "0=3"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        totals all(4);
        std::uint64_t jobs = 0;
        for (const auto time : one.times) all.record(at(time), running(++jobs));
        CHECK(text(all.since(std::nullopt)) == one.points);
    }
}

TEST_CASE("totals: those at or after a time") {
    totals all;
    for (const std::int64_t time : {60, 120, 180}) all.record(at(time), running(1));
    CHECK(text(all.since(0)) == "60=1 120=1 180=1");
    CHECK(text(all.since(120)) == "120=1 180=1");
    CHECK(text(all.since(121)) == "180=1");
    CHECK(text(all.since(181)).empty());
}

TEST_CASE("totals: what an earlier run recorded comes back, but for what is too old and what lies in the future") {
    struct row {
        const char* what;
        std::vector<std::int64_t> times;
        std::int64_t now;
        const char* points;
    };
    const row rows[] = {
        {"none", {}, 300, ""},
        {"all", {60, 120, 180}, 250, "60=1 120=1 180=1"},
        {"too many", {0, 60, 120, 180, 240}, 240, "60=1 120=1 180=1 240=1"},
        {"too old", {60, 120, 180}, 421, "180=1"},
        {"all too old", {60, 120, 180}, 9999, ""},
        {"the clock was set back", {60, 120, 180}, 130, "60=1 120=1"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.what);
        totals all(4);
        std::vector<totals_point> earlier;
        for (const auto time : one.times) earlier.push_back({time, running(1)});
        all.restore(earlier, at(one.now));
        CHECK(text(all.since(std::nullopt)) == one.points);
        all.record(at(one.now), running(9));
        CHECK(all.newest().counts == running(9));
    }
}

TEST_CASE("totals: until the next minute") {
    using std::chrono::seconds;
    CHECK(totals::until_next(at(60)) == seconds(60));
    CHECK(totals::until_next(at(61)) == seconds(59));
    CHECK(totals::until_next(at(119) + std::chrono::milliseconds(999)) == std::chrono::milliseconds(1));
}

TEST_CASE("totals: a day of them by default") {
    totals all;
    for (std::int64_t i = 0; i < 2000; ++i) all.record(at(i * 60), running(1));
    CHECK(all.since(std::nullopt).size() == 1440);
    CHECK(all.since(std::nullopt).front().time == 560 * 60);
}

TEST_CASE("the table's counts are those of its jobs, whatever happened to them") {
    job_table table;
    const auto recounted = [&] {
        job_counts out;
        for (const auto& j : table.jobs()) out.add(*j);
        return out;
    };
    table.add(job("one", job_state::running, 8));
    table.add(job("two", job_state::queued, 4));
    table.add(job("three", job_state::suspended, 2));
    CHECK(table.counts().gpus_requested == 12);
    CHECK(table.counts().gpus_running == 8);
    CHECK(table.counts() == recounted());
    table.update(job("two", job_state::running, 4, "2"));   // its state
    table.update(job("one", job_state::running, 16, "2"));  // its GPUs
    CHECK(table.counts().gpus_running == 20);
    CHECK(table.counts() == recounted());
    table.update(job("one", job_state::succeeded, 16, "3"));
    CHECK(table.counts().gpus_requested == 4);
    CHECK(table.counts() == recounted());
    auto other = job("two", job_state::failed, 1, "3");  // a new job of that name
    other.view.uid = "new";
    table.add(other);
    CHECK(table.counts() == recounted());
    table.remove(job("three", job_state::suspended, 2, "4"));
    CHECK(table.counts() == recounted());
    // A Job that belongs to a kind that becomes watched leaves the view, and comes back.
    auto part = job("launcher", job_state::running, 3);
    part.view.kind = "Job";
    part.view.api_version = "batch/v1";
    part.owner = job_owner{"kubeflow.org", "MPIJob", "mpi"};
    table.add(part);
    CHECK(table.counts().gpus_running == 3);
    cluster_view cluster;
    cluster.name = "a";
    cluster.state = "live";
    cluster.kinds.push_back({"MPIJob", "kubeflow.org/v2beta1", "live", "", 0, 0, 0, ""});
    table.set_cluster(cluster);
    CHECK(table.counts().gpus_running == 0);
    CHECK(table.counts() == recounted());
    part.view.gpus = 5;
    part.resource_version = "2";
    table.update(part);
    CHECK(table.counts() == recounted());
    cluster.kinds[0].state = "not-installed";
    table.set_cluster(cluster);
    CHECK(table.counts().gpus_running == 5);
    CHECK(table.counts() == recounted());
    table.remove_cluster("a");
    CHECK(table.counts() == job_counts{});
}

TEST_CASE("the table finds a job in view by its name") {
    job_table table;
    table.add(job("one", job_state::running, 8));
    REQUIRE(table.find("a", "ml", "PyTorchJob", "one") != nullptr);
    CHECK(table.find("a", "ml", "PyTorchJob", "one")->gpus == 8);
    CHECK(table.find("b", "ml", "PyTorchJob", "one") == nullptr);
    CHECK(table.find("a", "ml", "Job", "one") == nullptr);
    CHECK(table.find("a", "ml", "PyTorchJob", "on") == nullptr);
    CHECK(table.details("a", "ml", "PyTorchJob", "one")->conditions.empty());
    CHECK_FALSE(table.details("a", "ml", "PyTorchJob", "none").has_value());
}
