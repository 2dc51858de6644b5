// A job's object as YAML, from a simulated cluster.
#include "web/yaml_answer.hpp"

#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "support/fake_responder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace training_monitor;
using namespace std::chrono_literals;

namespace {

const kcontrol::testing::group_resource jobs{"batch", "jobs"};

struct fixture {
    kcontrol::testing::sim_world world;
    kcontrol::testing::sim_server& server = world.add_server("a");
    monitor watched{world.env(), world.get_executor(), options(), world.network().factory(), kcontrol::logger()};
    kcontrol::http::router routes;
    kcontrol::test::fake_responder out{world.env()};

    fixture() {
        add_yaml_route(routes, watched);
        REQUIRE(server.api().create({{"apiVersion", "batch/v1"},
                                     {"kind", "Job"},
                                     {"metadata", {{"name", "bert"}, {"namespace", "default"}}},
                                     {"spec", {{"parallelism", 1}, {"token", "swordfish"}}}}));
        REQUIRE(watched.start(
            std::make_unique<kcontrol::fixed_source>(std::vector{kcontrol::desired_cluster("a", server.config())}),
            {}));
        world.run_for(5s);
    }
    ~fixture() {
        CHECK(world.ends_within(1min, watched.stop()));
        world.run_for(2s);
    }

    void ask(const std::string& path, kcontrol::test::fake_responder& to) {
        kcontrol::http::server_request request(kcontrol::http::request("GET", "/api/v1/jobs/" + path));
        boost::asio::co_spawn(world.get_executor(), routes.handler()(std::move(request), to), boost::asio::detached);
    }
    int get(const std::string& path) {
        ask(path, out);
        world.run_for(1s);
        return out.head.status;
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "YAML: the object as its cluster has it, when somebody asks") {
    REQUIRE(get("a/default/job/bert/yaml") == 200);
    CAPTURE(out.body);
    CHECK(out.head.headers.get("Content-Type") == "application/yaml");
    CHECK(out.head.headers.get("Cache-Control") == "no-store, no-transform");
    for (const char* shown : {"apiVersion: batch/v1\nkind: Job\n", "  parallelism: 1\n", "  token: '[masked]'\n"}) {
        CAPTURE(shown);
        CHECK(out.body.find(shown) != std::string::npos);
    }
    CHECK(out.body.find("managedFields:") == std::string::npos);
    REQUIRE(server.api().patch(jobs, {"default", "bert"}, {{"metadata", {{"labels", {{"team", "nlp"}}}}}}));
    REQUIRE(get("a/default/Job/bert/yaml") == 200);
    CHECK(out.body.find("team: nlp") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "YAML: of jobs in view only, and without parameters") {
    CHECK(get("a/default/job/other/yaml") == 404);
    CHECK(get("b/default/job/bert/yaml") == 404);
    CHECK(get("a/default/secret/bert/yaml") == 404);
    CHECK(get("a/default/job/bert/yaml?x=y") == 400);
}

TEST_CASE_FIXTURE(fixture, "YAML: the right that is missing is named") {
    server.api().access().forbid({"*", "get", "jobs.batch"});
    CHECK(get("a/default/job/bert/yaml") == 403);
    CHECK(out.body.find("it needs the right get jobs.batch") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "YAML: four are read at the same time, and no more") {
    std::vector<std::unique_ptr<kcontrol::test::fake_responder>> all;
    for (int i = 0; i < 5; ++i)
        ask("a/default/job/bert/yaml",
            *all.emplace_back(std::make_unique<kcontrol::test::fake_responder>(world.env())));
    world.run_for(1s);
    std::vector<int> found;
    for (const auto& one : all) found.push_back(one->head.status);
    CHECK(found == std::vector{200, 200, 200, 200, 429});
    CHECK(get("a/default/job/bert/yaml") == 200);  // the places are free again
}
