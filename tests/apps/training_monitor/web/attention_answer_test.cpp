#include "web/attention_answer.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace training_monitor;
using kcontrol::wall_time;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(1'700'000'000 + seconds)); }

observed_job job(std::string name, job_state state, std::string version) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = name;
    out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.view.message = "it said so";
    out.resource_version = std::move(version);
    return out;
}

struct fixture {
    job_table table;
    history past;
    wall_time now = at(0);
    kcontrol::http::router routes;

    fixture() {
        add_attention_routes(routes, past, table, [this] { return now; }, {},
                             {"the directory /c", std::vector<std::string>{"notices"}});
    }

    void see(std::string name, job_state state, std::string version) {
        const bool known = table.find("a", "ml", "Job", name) != nullptr;
        auto seen = job(std::move(name), state, std::move(version));
        past.observe(known ? table.update(std::move(seen)) : table.add(std::move(seen)), now);
    }
    void see(cluster_view cluster) { past.observe(table.set_cluster(std::move(cluster)), now); }
    kcontrol::http::response get(std::string target) {
        return *routes.answer(kcontrol::http::server_request(kcontrol::http::request("GET", std::move(target))));
    }
};

}  // namespace

TEST_CASE("attention: the urgent first, the rest left out") {
    fixture f;
    cluster_view cluster;
    cluster.name = "a";
    cluster.state = "live";
    f.see(cluster);
    CHECK(f.get("/api/v1/attention").body ==
          R"({"items":[],"remaining":0,"clusters":{"total":1,"unreadable":0,)"
          R"("partial":0,"loading":0,"source":"the directory /c"},"offers":["notices"]})"
          "\n");
    f.now = at(10);
    f.see("waits", job_state::pending, "1");
    f.see("runs", job_state::running, "2");
    f.now = at(3600);
    f.see("fails", job_state::running, "3");
    f.see("fails", job_state::failed, "4");
    const auto answer = f.get("/api/v1/attention");
    CHECK(answer.status == 200);
    CHECK(
        answer.body ==
        R"({"items":[{"cluster":"a","namespace":"ml","name":"fails","kind":"Job","apiVersion":"batch/v1",)"
        R"("uid":"fails","state":"Failed","concern":"failed","since":"2023-11-14T23:13:20Z","restarts":0,)"
        R"("gpusHeld":0,"blockedBy":"","reason":"","why":"it said so"},{"cluster":"a","namespace":"ml","name":"waits","kind":"Job",)"
        R"("apiVersion":"batch/v1","uid":"waits","state":"Pending","concern":"waiting",)"
        R"("since":"2023-11-14T22:13:30Z","restarts":0,"gpusHeld":0,"blockedBy":"","reason":"","why":"it said so"}],"remaining":0,)"
        R"("clusters":{"total":1,"unreadable":0,"partial":0,"loading":0,"source":"the directory /c"},)"
        R"("offers":["notices"]})"
        "\n");
    CHECK(f.get("/api/v1/attention?x=1").status == 400);
}

TEST_CASE("attention: a cluster that can't be read is the first item, and the answer says how many there are") {
    fixture f;
    f.see("waits", job_state::pending, "1");
    for (const char* name : {"dark", "fine", "odd"}) {
        cluster_view cluster;
        cluster.name = name;
        cluster.state = "live";
        f.see(cluster);
    }
    CHECK(f.get("/api/v1/attention").body.find("Cluster") == std::string::npos);
    f.now = at(3600);
    cluster_view dark;
    dark.name = "dark";
    dark.state = "unreachable";
    dark.reason = "connection refused";
    f.see(dark);
    f.now = at(3700);
    dark.reason = "timeout";  // it goes on
    f.see(dark);
    cluster_view odd;
    odd.name = "odd";
    odd.state = "degraded";
    f.see(odd);
    const auto body = f.get("/api/v1/attention").body;
    CHECK(body.find(R"({"items":[{"cluster":"dark","namespace":"","name":"dark","kind":"Cluster","apiVersion":"",)"
                    R"("uid":"","state":"unreachable","concern":"unreadable","since":"2023-11-14T23:13:20Z",)"
                    R"("restarts":0,"reason":"","why":"timeout"},{"cluster":"a",)") == 0);
    CHECK(body.find(R"("remaining":0,"clusters":{"total":3,"unreadable":1,"partial":1,"loading":0)") !=
          std::string::npos);
    // One that is back counts from its next outage on.
    dark.state = "live";
    f.see(dark);
    f.now = at(3800);
    CHECK(f.get("/api/v1/attention").body.find("Cluster") == std::string::npos);
    dark.state = "failed";
    f.see(dark);
    f.now = at(3900);
    CHECK(f.get("/api/v1/attention").body.find(R"("since":"2023-11-14T23:16:40Z")") != std::string::npos);
    // Nor does one that left stay on the list.
    f.past.observe(f.table.remove_cluster("dark"), f.now);
    f.now = at(4000);
    CHECK(f.get("/api/v1/attention").body.find("Cluster") == std::string::npos);
    CHECK(f.past.unreadable_since("dark") == std::nullopt);
}

TEST_CASE("attention: jobs that failed for one cause stand together, and the answer says what they have in common") {
    fixture f;
    const auto fail = [&](std::string name, std::string node) {
        auto failed = job(std::move(name), job_state::failed, "1");
        failed.view.gpus = 8;
        failed.view.failure = job_failure{std::move(node), 1, "XID 79", {}};
        f.past.observe(f.table.add(std::move(failed)), f.now);
    };
    fail("a", "gpu-3");
    fail("b", "gpu-4");
    f.now = at(60);
    fail("c", "gpu-3");
    fail("d", "gpu-5");
    const auto body = f.get("/api/v1/attention").body;
    // The latest first: c, which a belongs to, then d and b.
    const auto place = [&](std::string name) { return body.find(R"("name":")" + name + "\""); };
    CHECK(place("c") < place("a"));
    CHECK(place("a") < place("d"));
    CHECK(place("d") < place("b"));
    CHECK(
        body.find(R"("groups":[{"id":1,"jobs":2,"gpus":16,"cluster":"a","node":"gpu-3","exitCode":1,"error":"XID 79",)"
                  R"("since":"2023-11-14T22:13:20Z","latest":"2023-11-14T22:14:20Z"}],"remaining":0)") !=
        std::string::npos);
    CHECK(body.find(R"("node":"gpu-3","group":1})") != std::string::npos);
    CHECK(body.find(R"("node":"gpu-4"})") != std::string::npos);
    for (int i = 0; i < 600; ++i) fail("more-" + std::to_string(i), "gpu-3");
    f.now = at(62);
    const auto many = f.get("/api/v1/attention").body;
    CHECK(many.find(R"("jobs":602,)") != std::string::npos);
    CHECK(many.find(R"("remaining":104,)") != std::string::npos);
}

TEST_CASE("attention: of a cluster that can't be read no job is said to wait") {
    fixture f;
    cluster_view cluster;
    cluster.name = "a";
    cluster.state = "live";
    f.see(cluster);
    f.see("waits", job_state::pending, "1");
    f.see("failed", job_state::failed, "1");
    cluster.state = "unreachable";
    f.see(cluster);
    f.now = at(3600);
    CHECK(f.get("/api/v1/attention").body.find("\"waits\"") == std::string::npos);
    CHECK(f.get("/api/v1/attention").body.find("\"failed\"") != std::string::npos);
    cluster.state = "live";
    f.see(cluster);
    f.now = at(3700);
    CHECK(f.get("/api/v1/attention").body.find("\"waits\"") != std::string::npos);
}

TEST_CASE("attention: an answer is kept for a second, and not longer") {
    fixture f;
    CHECK(f.get("/api/v1/attention").body.find("fails") == std::string::npos);
    f.see("fails", job_state::failed, "1");
    CHECK(f.get("/api/v1/attention").body.find("fails") == std::string::npos);
    f.now = at(1);
    CHECK(f.get("/api/v1/attention").body.find("fails") != std::string::npos);
    // A clock that is put back does not keep it for ever.
    f.see("also fails", job_state::failed, "2");
    f.now = at(0);
    CHECK(f.get("/api/v1/attention").body.find("also fails") != std::string::npos);
}

TEST_CASE("changes: from state to state, the newest first, and no job's first sight") {
    fixture f;
    f.see("one", job_state::pending, "1");
    f.see("two", job_state::running, "2");
    f.now = at(10);
    f.see("one", job_state::running, "3");
    f.now = at(20);
    f.see("one", job_state::succeeded, "4");
    const auto body = f.get("/api/v1/changes").body;
    const auto last = body.find(R"("from":"Running","to":"Succeeded","at":"2023-11-14T22:13:40Z")");
    const auto first = body.find(R"("from":"Pending","to":"Running","at":"2023-11-14T22:13:30Z")");
    CHECK(last < first);
    CHECK(first != std::string::npos);
    CHECK(body.find("\"two\"") == std::string::npos);
    CHECK(f.get("/api/v1/changes?limit=1").status == 400);
}
