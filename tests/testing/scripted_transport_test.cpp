// What a scripted transport reports when the code under test does something else.
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include "support/print.hpp"

#include <memory>

namespace {

using namespace kcontrol;
using testing::manual_environment;
using testing::scripted_transport;

struct fixture {
    result<http::response> send(std::string method, std::string target, std::string body = {}) {
        http::request request(std::move(method), std::move(target));
        request.body = std::move(body);
        return testing::run(context, env, net->round_trip(std::move(request), {}));
    }

    boost::asio::io_context context;
    manual_environment env;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>(env);
};

TEST_CASE_FIXTURE(fixture, "a script that is played to its end has no failures") {
    net->expect("GET /a").reply(200, "{}");
    net->expect("POST /b?*").with_body("x").with_header("X-A", "1").reply(201, "made");
    CHECK(send("GET", "/a").value().body == "{}");
    http::request request("POST", "/b?dryRun=All");
    request.body = "x";
    request.headers.add("X-A", "1");
    CHECK(testing::run(context, env, net->round_trip(request, {})).value().status == 201);
    CHECK(net->verify());
    CHECK(net->failures().empty());
    CHECK(net->sent().size() == 2);
}

TEST_CASE_FIXTURE(fixture, "requests that are not as expected fail, and are on record") {
    net->expect("GET /a").reply(200, "{}");
    net->expect("PUT /b").with_body("right").reply(200, "{}");
    net->expect("GET /c").with_header("X-A", "1").reply(200, "{}");
    CHECK(send("GET", "/other").error() == errc::unavailable);
    CHECK(send("PUT", "/b", "wrong").error() == errc::unavailable);
    CHECK(send("GET", "/c").error() == errc::unavailable);
    CHECK(send("GET", "/d").error() == errc::unavailable);
    const std::vector<std::string> expected = {"expected GET /a, got GET /other",
                                               "PUT /b: expected body right, got wrong",
                                               "GET /c: expected header X-A: 1", "no step left for GET /d"};
    CHECK((net->failures() == expected));
}

TEST_CASE_FIXTURE(fixture, "steps that nobody asked for are failures") {
    net->expect("GET /a");
    net->expect("GET /b");
    CHECK(net->remaining_steps() == 2);
    const auto verified = net->verify();
    REQUIRE(!verified);
    CHECK(verified.error().message() == "script: never requested: GET /a; never requested: GET /b");
}

TEST_CASE_FIXTURE(fixture, "empty pieces of a body are passed over, and don't end it") {
    net->expect("GET /a").stream({"", "one", "", "two"});
    net->expect("GET /b").stream({""}, testing::stream_end::lost);
    CHECK(send("GET", "/a").value().body == "onetwo");
    CHECK(send("GET", "/b").error() == errc::connection_lost);
}

TEST_CASE_FIXTURE(fixture, "a step may fail or never answer") {
    net->expect("GET /a").fail(errc::connection_lost);
    net->expect("GET /b").hang();
    CHECK(send("GET", "/a").error() == errc::connection_lost);
    const auto begun = env.now();
    CHECK(send("GET", "/b").error() == errc::timeout);
    CHECK(env.now() - begun == http::exchange_options().deadline());
    CHECK(net->verify());
}

}  // namespace
