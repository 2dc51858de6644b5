#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

struct fixture {
    boost::asio::io_context context;
    testing::manual_environment env;
    api_server server{env, context.get_executor()};
    test::memory_client client{context, server.handler()};
    const namespaced_name key{"default", "web"};
    const std::string path = "/api/v1/namespaces/default/pods/web/log";

    fixture() {
        REQUIRE(server.create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},
            "spec":{"nodeName":"n","containers":[{"name":"main","image":"i"}]}})")
                                  .value()));
    }
    ~fixture() {
        static_cast<void>(server.remove({"", "pods"}, key, delete_request().grace_period(0)));
        manual_environment::run_ready(context);
    }
    std::string get(const std::string& query) { return client.get(path + query)->body; }
};

}  // namespace

TEST_CASE("a log is shown as it is asked for") {
    fixture f;
    CHECK(f.get("").empty());
    f.server.write_log(f.key, "main", "one\ntwo");
    f.env.advance(90s, f.context);
    f.server.write_log(f.key, "main", "three");
    CHECK(f.get("") == "one\ntwo\nthree\n");
    CHECK(f.get("?tailLines=1") == "three\n");
    CHECK(f.get("?tailLines=9") == "one\ntwo\nthree\n");
    CHECK(f.get("?tailLines=0").empty());
    CHECK(f.get("?limitBytes=5") == "one\nt");
    CHECK(f.get("?sinceSeconds=60") == "three\n");
    CHECK(f.get("?timestamps=true&tailLines=1").ends_with("Z three\n"));
    CHECK(f.client.get(f.path + "?previous=true")->head.status == 400);
    f.server.restart_log(f.key, "main");
    f.server.write_log(f.key, "main", "again");
    CHECK(f.get("") == "again\n");
    CHECK(f.get("?previous=true") == "one\ntwo\nthree\n");
    CHECK(f.client.call("POST", f.path)->head.status == 405);
}

TEST_CASE("a log is that of the only container, beside which init containers do not count") {
    fixture f;
    const std::string pods = "/api/v1/namespaces/default/pods/";
    REQUIRE(f.server.create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"two"},"spec":{
        "nodeName":"n","initContainers":[{"name":"first","image":"i"}],"containers":[{"name":"main","image":"i"}]}})")
                                .value()));
    REQUIRE(f.server.create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"none"},"spec":{
        "nodeName":"n","initContainers":[{"name":"first","image":"i"}]}})")
                                .value()));
    f.server.write_log({"default", "two"}, "main", "here");
    CHECK(f.client.get(pods + "two/log")->body == "here\n");
    CHECK(f.client.get(pods + "two/log?container=first")->head.status == 200);
    const auto refused = f.client.get(pods + "none/log");
    CHECK(refused->head.status == 400);
    CHECK(json::get_string(refused->json(), {"message"}) == "a container name must be specified for pod none");
}

TEST_CASE("a log begins at a time or some seconds ago, not both") {
    fixture f;
    for (const std::string seconds : {"60", "0"}) {
        const auto refused = f.client.get(f.path + "?sinceSeconds=" + seconds + "&sinceTime=2026-01-01T00:00:00Z");
        CHECK(refused->head.status == 422);
        CHECK(json::get_string(refused->json(), {"message"}) ==
              "PodLogOptions \"web\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be "
              "specified");
    }
}

TEST_CASE("a log is followed until its pod is over or gone") {
    fixture f;
    f.server.write_log(f.key, "main", "one\ntwo");
    const auto tail = f.client.start(f.path + "?follow=true&tailLines=1");
    CHECK(tail->body == "two\n");
    f.server.write_log(f.key, "main", "three");
    manual_environment::run_ready(f.context);
    CHECK(tail->body == "two\nthree\n");
    CHECK_FALSE(tail->done);
    REQUIRE(f.server.patch({"", "pods"}, f.key, json::parse(R"({"status":{"phase":"Succeeded"}})").value(), "status"));
    manual_environment::run_ready(f.context);
    CHECK(tail->done);
    CHECK_FALSE(tail->aborted);
}

TEST_CASE("the kubelets of a fake cluster say what a pod's annotation says") {
    sim_world world;
    auto& cluster = world.add_server("cluster");
    fake_cluster fakes(world, cluster);
    REQUIRE(cluster.api().create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"talks",
        "annotations":{"sim/log":"hello","sim/exit-code":"1","sim/run-ms":"10"}},
        "spec":{"restartPolicy":"OnFailure","containers":[{"name":"main","image":"i"}]}})")
                                     .value()));
    world.run_for(15s);
    boost::asio::io_context context;
    const auto read = [&](const std::string& query) {
        http::server_request request(http::request("GET", "/api/v1/namespaces/default/pods/talks/log" + query));
        test::memory_responder out;
        world.run(cluster.api().handler()(std::move(request), out));
        return out.body;
    };
    CHECK(read("") == "hello\n");
    CHECK(read("?previous=true") == "hello\n");
}
