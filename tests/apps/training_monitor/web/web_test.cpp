#include "web/web.hpp"

#include <kcontrol/http/gunzip.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"
#include "table/health.hpp"
#include "table/job_query.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace training_monitor;
using kcontrol::test::fake_responder;
namespace testing = kcontrol::testing;

namespace {

kind_view kind(std::string name, std::string api_version, std::string state, std::string reason = "") {
    kind_view out;
    out.kind = std::move(name);
    out.api_version = std::move(api_version);
    out.state = std::move(state);
    out.reason = std::move(reason);
    return out;
}

cluster_view cluster(std::string name, std::string state, std::vector<kind_view> kinds = {}) {
    cluster_view out;
    out.name = std::move(name);
    out.state = std::move(state);
    out.kinds = std::move(kinds);
    return out;
}

observed_job job(std::string name, job_state state) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    return out;
}

struct fixture {
    testing::manual_environment env;
    boost::asio::io_context context;
    job_table table;
    event_hub hub{env, table};
    web site{env, table, hub};
    fake_responder out{env};

    int get(std::string target, std::string method = "GET", std::string host = "localhost:8080",
            std::string accept_encoding = "") {
        kcontrol::http::server_request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.headers.set("Host", std::move(host));
        if (!accept_encoding.empty()) request.headers.set("Accept-Encoding", std::move(accept_encoding));
        const auto handler = site.handler();
        testing::run(context, handler(std::move(request), out));
        return out.head.status;
    }
    std::string_view header(std::string_view name) const { return out.head.headers.get(name); }
};

}  // namespace

TEST_CASE("jobs: all of them, or those that the query asks for") {
    fixture f;
    CHECK(f.get("/api/v1/jobs") == 200);
    CHECK(f.out.take() == "{\"items\":[]}\n");
    f.table.add(job("one", job_state::running));
    f.table.add(job("two", job_state::failed));
    f.get("/api/v1/jobs");
    const auto all = f.out.take();
    CHECK(all.starts_with(R"({"items":[{"cluster":"a","namespace":"ml","name":"one",)"));
    CHECK(all.find(R"(},{"cluster":"a","namespace":"ml","name":"two",)") != std::string::npos);
    CHECK(all.ends_with("}]}\n"));
    CHECK(f.header("Content-Type") == "application/json");
    f.get("/api/v1/jobs?state=Failed&cluster=&kind=Job&namespace=ml");
    const auto failed = f.out.take();
    CHECK(failed.find("\"one\"") == std::string::npos);
    CHECK(failed.find("\"two\"") != std::string::npos);
    f.get("/api/v1/jobs?state=Failed,Running&cluster=b");
    CHECK(f.out.take() == "{\"items\":[]}\n");
}

TEST_CASE("jobs: the answer names the clusters whose jobs may be missing") {
    fixture f;
    f.table.set_cluster(cluster("a", "live"));
    f.table.set_cluster(cluster("b", "unreachable"));
    f.table.set_cluster(cluster("c", "connecting"));
    f.get("/api/v1/jobs");
    CHECK(f.out.take() == "{\"items\":[],\"incompleteClusters\":[\"b\",\"c\"]}\n");
    f.get("/api/v1/jobs?cluster=a,c&limit=5");
    CHECK(f.out.take() == "{\"items\":[],\"remaining\":0,\"incompleteClusters\":[\"c\"]}\n");
    f.get("/api/v1/jobs?cluster=a");
    CHECK(f.out.take() == "{\"items\":[]}\n");
}

TEST_CASE("jobs: a bad query is refused with the parameter and what is allowed") {
    struct row {
        const char* query;
        const char* message;
    };
    const row rows[] = {
        {"state=Done",
         R"(parameter state: \"Done\" is not one of Unknown, Created, Queued, Pending, Running, Restarting, )"
         R"(Suspended, Succeeded, Failed)"},
        {"kind=Pod",
         R"(parameter kind: \"Pod\" is not one of PyTorchJob, MPIJob, TrainJob, TrainingJob, Job, TFJob, )"},
        {"ns=ml",
         R"(unknown parameter \"ns\"; allowed are cluster, namespace, kind, state, label, since, limit, fields)"},
        {"ns=",
         R"(unknown parameter \"ns\"; allowed are cluster, namespace, kind, state, label, since, limit, fields)"},
        {"limit=0", R"(parameter limit: \"0\" is not a number from 1)"},
        {"limit=1k", R"(parameter limit: \"1k\" is not a number from 1)"},
        {"since=yesterday",
         R"(parameter since: \"yesterday\" is neither a time (2026-01-02T03:04:05Z) nor how long ago)"},
        {"since=-1h", R"(parameter since: \"-1h\" is neither)"},
        {"fields=name,spec", R"(parameter fields: \"spec\" is not one of cluster, namespace, name, kind,)"},
        {"label=team%3D%3D%3D", "parameter label: "},
        {"state=%1b%5b31m", R"(parameter state: \"\\x1b[31m\" is not one of)"},
    };
    for (const auto& one : rows) {
        CAPTURE(one.query);
        fixture f;
        CHECK(f.get(std::string("/api/v1/jobs?") + one.query) == 400);
        CHECK(f.out.body.find(one.message) != std::string::npos);
    }
}

TEST_CASE("jobs: by label, by age, so many, and of each what is asked for") {
    fixture f;
    auto nlp = job("nlp", job_state::running);
    nlp.view.labels = job_labels::from(std::map<std::string, std::string>{{"team", "nlp"}});
    f.table.add(nlp);
    auto old = job("old", job_state::failed);
    old.view.completion_time = 1000;
    f.table.add(old);
    f.table.add(job("plain", job_state::failed));
    const auto names = [&](const std::string& query) {
        CHECK(f.get("/api/v1/jobs?fields=name&" + query) == 200);
        return f.out.take();
    };
    CHECK(names("") == R"({"items":[{"name":"nlp"},{"name":"old"},{"name":"plain"}]})"
                       "\n");
    CHECK(names("label=team%3Dnlp") == R"({"items":[{"name":"nlp"}]})"
                                       "\n");
    CHECK(names("label=!team&label=!other&state=Failed") == R"({"items":[{"name":"old"},{"name":"plain"}]})"
                                                            "\n");
    CHECK(names("since=1970-01-01T00:16:40Z&limit=9") ==
          R"({"items":[{"name":"nlp"},{"name":"old"},{"name":"plain"}],"remaining":0})"
          "\n");
    CHECK(names("since=1970-01-01T00:16:41Z") == R"({"items":[{"name":"nlp"},{"name":"plain"}]})"
                                                 "\n");
    CHECK(names("limit=1") == R"({"items":[{"name":"nlp"}],"remaining":2})"
                              "\n");
    CHECK(names("fields=state&limit=1") == R"({"items":[{"name":"nlp","state":"Running"}],"remaining":2})"
                                           "\n");
}

TEST_CASE("jobs: what is told of them besides, where there is such") {
    fixture f;
    f.table.add(job("one", job_state::running));
    CHECK(f.get("/api/v1/jobs?fields=name,gpuUsage") == 200);
    CHECK(f.out.take() == R"({"items":[{"name":"one"}]})"
                          "\n");
    f.site.tell_more_of_jobs(
        [](kcontrol::json::writer& out, const job_view& shown) { out.member("gpuUsage", "of " + shown.name); });
    CHECK(f.get("/api/v1/jobs?fields=name,gpuUsage") == 200);
    CHECK(f.out.take() == R"({"items":[{"name":"one","gpuUsage":"of one"}]})"
                          "\n");
    CHECK(f.get("/api/v1/jobs?fields=name") == 200);
    CHECK(f.out.take() == R"({"items":[{"name":"one"}]})"
                          "\n");
    CHECK(f.get("/api/v1/jobs") == 200);
    CHECK(f.out.take().find(R"("gpuUsage":"of one"})") != std::string::npos);
}

TEST_CASE("queries: kinds and states in any case, lists with commas or repeated") {
    const auto now = kcontrol::wall_time(std::chrono::hours(100));
    const auto asked =
        parse_job_query("kind=pytorchjobs,job&state=running&state=FAILED&namespace=a,b&since=1h30m", now);
    REQUIRE(asked.has_value());
    const auto& filter = asked->filter;
    CHECK(filter.kinds == std::set<std::string, std::less<>>{"PyTorchJob", "Job"});
    CHECK(filter.states == std::set<job_state>{job_state::running, job_state::failed});
    CHECK(filter.namespaces.size() == 2);
    CHECK(asked->since == 100 * 3600 - 5400);
    CHECK(!asked->takes_all());
    CHECK(parse_job_query("limit=5&fields=name&cluster=&since=&label=", now)->takes_all());
    CHECK(find_kind("MPIJOB") == "MPIJob");
    CHECK(find_kind("pod").empty());
}

TEST_CASE("clusters, health and metrics") {
    fixture f;
    f.table.set_cluster(cluster("a", "degraded", {kind("Job", "batch/v1", "forbidden", "jobs is forbidden")}));
    f.table.add(job("one", job_state::running));
    CHECK(f.get("/api/v1/clusters") == 200);
    CHECK(f.out.take().starts_with(R"({"items":[{"name":"a","state":"degraded",)"));
    CHECK(f.get("/api/v1/clusters?x=1") == 400);
    CHECK(f.get("/healthz") == 200);
    CHECK(f.get("/readyz") == 200);
    CHECK(f.get("/readyz?verbose") == 200);
    CHECK(f.out.take() ==
          "[-]cluster a degraded\n[-]cluster a Job.batch/v1 forbidden: jobs is forbidden\n"
          "readyz check passed\n");
    f.table.set_cluster(cluster("b", "connecting"));
    CHECK(f.get("/readyz") == 503);
    CHECK(f.out.take() == "not ready; /readyz?verbose says why\n");  // to anybody: it names no cluster
    CHECK(f.get("/readyz?verbose") == 503);
    CHECK(f.out.take().find("[-]cluster b connecting\n") != std::string::npos);
    CHECK(f.get("/metrics") == 200);
    const auto metrics = f.out.take();
    for (const char* family : {"invalid_objects", "server_changes_total", "rollbacks_total"}) {
        CAPTURE(std::string(family));
        CHECK(metrics.find("training_monitor_" + std::string(family) +
                           "{cluster=\"a\",kind=\"Job\",api_version=\"batch/v1\"} 0\n") != std::string::npos);
    }
    CHECK(metrics.find("training_monitor_lists_total{cluster=\"a\",kind=\"Job\",api_version=\"batch/v1\"} 0\n") !=
          std::string::npos);
    CHECK(metrics.find("training_monitor_stream_clients 0\n") != std::string::npos);
    CHECK(metrics.find("training_monitor_stream_cut_off_total{reason=\"behind\"} 0\n") != std::string::npos);
    CHECK(metrics.find("training_monitor_stream_refused_total 0\n") != std::string::npos);
}

TEST_CASE("page and interface are compressed for those who take that") {
    fixture f;
    f.table.add(job("one", job_state::running));
    for (const char* path : {"/", "/api/v1/jobs", "/metrics"}) {
        CAPTURE(path);
        CHECK(f.get(path) == 200);
        const auto plain = f.out.take();
        CHECK_FALSE(f.out.head.headers.contains("Content-Encoding"));
        CHECK(f.header("Vary") == "Accept-Encoding");
        CHECK(f.get(path, "GET", "localhost:8080", "gzip, deflate, br") == 200);
        CHECK(f.header("Content-Encoding") == "gzip");
        CHECK(f.header("Vary") == "Accept-Encoding");
        CHECK(kcontrol::http::gunzip_all(f.out.take(), std::size_t{1} << 20).value() == plain);
    }
    CHECK(f.get("/healthz", "GET", "localhost:8080", "gzip") == 200);
    CHECK(f.out.take() == "ok\n");
}

TEST_CASE("the port for health answers that, and nothing else") {
    fixture f;
    const auto ask = [&](std::string target) {
        kcontrol::http::server_request request;
        request.method = "GET";
        request.target = std::move(target);
        const auto handler = f.site.probe_handler();
        testing::run(f.context, handler(std::move(request), f.out));
        return f.out.head.status;
    };
    f.table.set_cluster(cluster("secret", "connecting"));
    CHECK(ask("/healthz") == 200);
    for (const char* target : {"/readyz", "/readyz?verbose"}) {
        CHECK(ask(target) == 503);
        CHECK(f.out.take().find("secret") == std::string::npos);
    }
    f.table.set_cluster(cluster("secret", "live"));
    CHECK(ask("/readyz") == 200);
    for (const char* target : {"/", "/metrics", "/api/v1/jobs", "/api/v1/events"}) CHECK(ask(target) == 404);
}

TEST_CASE("who wants more than there is room for is told to try again") {
    fixture f;
    for (const char* name : {"one", "two", "three"}) f.table.add(job(name, job_state::running));
    f.out.room = 2 * sizeof(std::shared_ptr<const job_view>);
    for (const char* target : {"/api/v1/jobs", "/api/v1/events"}) {
        CAPTURE(target);
        CHECK(f.get(target) == 503);
        CHECK(f.header("Retry-After") == "1");
    }
    CHECK(f.hub.clients() == 0);
    CHECK(f.get("/api/v1/clusters") == 200);
    f.out.room *= 2;
    CHECK(f.get("/api/v1/jobs") == 200);
    CHECK(f.out.held >= 3 * sizeof(std::shared_ptr<const job_view>));
}

TEST_CASE("a snapshot is complete when every kind that is installed is listed") {
    CHECK(is_complete(cluster("a", "live", {kind("Job", "batch/v1", "live"), kind("X", "x/v1", "not-installed")})));
    CHECK_FALSE(is_complete(cluster("a", "degraded", {kind("Job", "batch/v1", "forbidden")})));
    CHECK_FALSE(is_complete(cluster("a", "connecting", {kind("Job", "batch/v1", "listing")})));
    CHECK_FALSE(is_complete(cluster("a", "unreachable")));
}

TEST_CASE("everything else is 404, writing is 405, and every answer is protected") {
    fixture f;
    for (const char* target : {"/nothing", "/api/v1", "/api/v1/jobs/one", "//", "/index.html"}) {
        CAPTURE(target);
        CHECK(f.get(target) == 404);
    }
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
        CAPTURE(method);
        CHECK(f.get("/api/v1/jobs", method) == 405);
        CHECK(f.header("Allow") == "GET, HEAD");
    }
    for (const char* target : {"/", "/api/v1/jobs", "/api/v1/clusters", "/metrics", "/healthz", "/readyz", "/x"}) {
        CAPTURE(target);
        f.get(target);
        CHECK(f.header("X-Content-Type-Options") == "nosniff");
        CHECK(f.header("Content-Security-Policy").find("default-src 'none'") != std::string::npos);
        CHECK(f.header("Access-Control-Allow-Origin").empty());
    }
    CHECK(f.get("/api/v1/events?cluster=a") == 400);
    CHECK(f.get("/api/v1/events", "HEAD") == 200);
    CHECK(f.header("Content-Type") == "text/event-stream");
}

TEST_CASE("the page lets exactly its own script and style run and reaches nothing else") {
    fixture f;
    REQUIRE(f.get("/") == 200);
    CHECK(f.header("Content-Type") == "text/html; charset=utf-8");
    const auto policy = f.header("Content-Security-Policy");
    CHECK(policy.find("script-src 'sha256-") != std::string_view::npos);
    CHECK(policy.find("connect-src 'self'") != std::string_view::npos);
    CHECK(policy.find("unsafe") == std::string_view::npos);
    for (const char* outside : {"http://", "https://", "//cdn", "@import"}) {
        CAPTURE(outside);
        CHECK(f.out.body.find(outside) == std::string_view::npos);
    }
}
