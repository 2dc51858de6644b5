#include "web/job_answer.hpp"

#include "table/job_table.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>

using namespace training_monitor;
using kcontrol::wall_time;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(1'700'000'000 + seconds)); }

observed_job job(job_state state, std::string version) {
    observed_job out;
    out.view.cluster = "a b";
    out.view.namespace_ = "ml";
    out.view.uid = "u";
    out.view.name = "bert";
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.resource_version = std::move(version);
    return out;
}

// What is answered at a path, with its query.
kcontrol::http::response job_answer(const history& past, const job_table& table, std::string target, wall_time now) {
    kcontrol::http::router routes;
    add_job_routes(routes, past, table, [now] { return now; });
    return *routes.answer(kcontrol::http::server_request(kcontrol::http::request("GET", std::move(target))));
}

}  // namespace

TEST_CASE("one job: as in the list, and its timeline") {
    job_table table;
    history past;
    past.observe(table.add(job(job_state::created, "1")), at(0));
    past.observe(table.update(job(job_state::running, "2")), at(7));
    const char* path = "/api/v1/jobs/a%20b/ml/job/bert";
    auto answer = job_answer(past, table, path, at(17));
    CHECK(answer.status == 200);
    CHECK(answer.body.starts_with(R"({"job":{"cluster":"a b","namespace":"ml","name":"bert","kind":"Job")"));
    CHECK(answer.body.find(
              R"("timeline":[{"state":"Created","reason":"","message":"","explained":false,)"
              R"("from":"2023-11-14T22:13:20Z",)"
              R"("to":"2023-11-14T22:13:27Z","durationSeconds":7},{"state":"Running","reason":"",)"
              R"("message":"","explained":false,"from":"2023-11-14T22:13:27Z","to":null,"durationSeconds":10}])") !=
          std::string::npos);
    CHECK(answer.body.find("\"gone\"") == std::string::npos);
    past.observe(table.remove(job(job_state::running, "3")), at(20));
    answer = job_answer(past, table, path, at(30));
    CHECK(answer.status == 200);
    CHECK(answer.body.ends_with("\"gone\":\"2023-11-14T22:13:40Z\"}\n"));
}

TEST_CASE("one job: links to other programs") {
    job_table table;
    history past;
    past.observe(table.add(job(job_state::running, "1")), at(0));
    kcontrol::http::router routes;
    std::vector<link_template> links{*link_template::parse("Grafana=https://g/{cluster}/{name}"),
                                     *link_template::parse("PyTorchJob/x=https://h")};
    add_job_routes(
        routes, past, table, [] { return at(1); }, nullptr, {}, {}, links);
    const auto answer =
        routes.answer(kcontrol::http::server_request(kcontrol::http::request("GET", "/api/v1/jobs/a%20b/ml/job/bert")));
    CHECK(answer->body.find(R"("links":[{"name":"Grafana","url":"https://g/a%20b/bert"}])") != std::string::npos);
}

TEST_CASE("one job: how kubectl calls a kind that is read by a rule") {
    job_table table;
    history past;
    auto set = job(job_state::running, "1"), ray = set;
    set.view.kind = "JobSet";
    ray.view.kind = "RayJob";
    past.observe(table.add(set), at(0));
    past.observe(table.add(ray), at(0));
    CHECK(job_answer(past, table, "/api/v1/jobs/a%20b/ml/jobset/bert", at(1))
              .body.find(R"("resource":"jobsets.jobset.x-k8s.io","podLabel":"jobset.sigs.k8s.io/jobset-name")") !=
          std::string::npos);
    CHECK(job_answer(past, table, "/api/v1/jobs/a%20b/ml/RayJob/bert", at(1))
              .body.find(R"("resource":"rayjobs.ray.io","podLabel":null)") != std::string::npos);
}

TEST_CASE("one job: its conditions and labels while it is in view") {
    job_table table;
    history past;
    auto running = job(job_state::running, "1");
    running.view.labels = job_labels::from(std::map<std::string, std::string>{{"team", "nlp"}});
    const auto details = std::make_shared<job_details>();
    details->conditions.push_back({"Running", "True", "JobRunning", "on its way", "2026-11-21T07:00:00Z"});
    running.source =
        job_source(details, [](const void* d, const void*) { return *static_cast<const job_details*>(d); });
    past.observe(table.add(running), at(0));
    const char* path = "/api/v1/jobs/a%20b/ml/Job/bert";
    const auto answer = job_answer(past, table, path, at(1));
    CHECK(answer.body.find(R"("conditions":[{"type":"Running","status":"True","reason":"JobRunning",)"
                           R"("message":"on its way","lastTransitionTime":"2026-11-21T07:00:00Z"}])") !=
          std::string::npos);
    CHECK(answer.body.find(R"("labels":{"team":"nlp"})") != std::string::npos);
    past.observe(table.remove(running), at(2));
    const auto gone = job_answer(past, table, path, at(3));
    CHECK(gone.body.find(R"("conditions":[])") != std::string::npos);
    CHECK(gone.body.find(R"("labels":{"team":"nlp"})") != std::string::npos);
}

TEST_CASE("one job: what is refused") {
    const job_table table;
    history past;
    CHECK(job_answer(past, table, "/api/v1/jobs/a/ml/Job/bert", at(0)).status == 404);
    CHECK(job_answer(past, table, "/api/v1/jobs/a/ml/Pod/bert", at(0)).status == 404);
    CHECK(job_answer(past, table, "/api/v1/jobs/a/ml/Job", at(0)).status == 404);
    CHECK(job_answer(past, table, "/api/v1/jobs/a/ml/Job/%zz", at(0)).status == 400);
    CHECK(job_answer(past, table, "/api/v1/jobs/a/ml/Job/bert?x=1", at(0)).status == 400);
}

TEST_CASE("gone: what vanished or finished while nobody looked, of the clusters asked for") {
    job_table table;
    history past;
    past.observe(table.add(job(job_state::running, "1")), at(0));
    past.observe(table.remove_cluster("a b"), at(1));
    past.observe(table.add(job(job_state::succeeded, "2")), at(2));
    const std::string finished =
        R"({"items":[{"cluster":"a b","namespace":"ml","name":"bert","kind":"Job","uid":"u","lastState":"Running",)"
        R"("lastSeen":"2023-11-14T22:13:21Z","gone":null,"state":"Succeeded"}]})"
        "\n";
    CHECK(gone_answer(past, "").body == finished);
    CHECK(gone_answer(past, "cluster=a%20b&cluster=").body == finished);
    CHECK(gone_answer(past, "cluster=x").body == "{\"items\":[]}\n");
    CHECK(gone_answer(past, "name=x").status == 400);
}
