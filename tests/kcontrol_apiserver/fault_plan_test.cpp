#include "apiserver/fault_plan.hpp"

#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol_apiserver;
using kcontrol::testing::fault;

namespace {

kcontrol::http::server_request request(std::string method, std::string target) {
    return kcontrol::http::server_request(kcontrol::http::request(std::move(method), std::move(target)));
}

fault_plan plan(std::string_view text) {
    auto parsed = fault_plan::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().message());
    return std::move(*parsed);
}

bool refuses(std::string_view text, std::string_view why) {
    const auto parsed = fault_plan::parse(text);
    const std::string said = parsed ? "accepted" : parsed.error().message();
    if (said.find(why) != std::string::npos) return true;
    MESSAGE(said);
    return false;
}

constexpr const char* pods = "/api/v1/namespaces/default/pods";

}  // namespace

TEST_CASE("rules say which requests, how many, and what becomes of them") {
    kcontrol::testing::manual_environment env;
    fault_plan p = plan(R"(
faults:
- match: {verbs: [list], resources: [pods], namespaces: [default]}
  skip: 1
  times: 2
  answer: {code: 429, retryAfter: 7}
- match: {resources: [jobs.batch, pods/status]}
  delay: 200ms
  drop: true
- match: {verbs: [watch]}
  watch: {loseEvent: 3}
- match: {path: /version}
  bytesPerSecond: 10
)");
    CHECK(!p.decide(request("GET", pods), env).answer());
    for (int i = 0; i < 2; ++i) {
        const fault hit = p.decide(request("GET", pods), env);
        REQUIRE(hit.answer());
        CHECK(hit.answer()->status == 429);
        CHECK(hit.answer()->headers.get("Retry-After") == "7");
        CHECK(hit.answer()->body.find("TooManyRequests") != std::string::npos);
    }
    CHECK(!p.decide(request("GET", pods), env).answer());
    CHECK(!p.decide(request("GET", "/api/v1/namespaces/other/pods"), env).answer());
    const fault job = p.decide(request("POST", "/apis/batch/v1/namespaces/a/jobs"), env);
    CHECK(job.drops());
    CHECK(job.delay() == std::chrono::milliseconds(200));
    CHECK(p.decide(request("PUT", std::string(pods) + "/web/status"), env).drops());
    CHECK(!p.decide(request("PUT", std::string(pods) + "/web"), env).drops());
    const fault watch = p.decide(request("GET", "/api/v1/secrets?watch=1"), env);
    CHECK(watch.kind() == fault::stream::lost_event);
    CHECK(watch.position() == 3);
    CHECK(p.decide(request("GET", "/version"), env).bytes_per_second() == 10);
    CHECK(p.shown().find("\"hits\":[2,2,1,1]") != std::string::npos);
}

TEST_CASE("a seed makes chances repeat") {
    kcontrol::testing::manual_environment env;
    const std::string text = "seed: 5\nfaults:\n- probability: 0.5\n  drop: true\n";
    std::string first, second;
    for (std::string* out : {&first, &second}) {
        fault_plan p = plan(text);
        for (int i = 0; i < 200; ++i) *out += p.decide(request("GET", pods), env).drops() ? 'x' : '.';
    }
    CHECK(first == second);
    const auto hits = std::count(first.begin(), first.end(), 'x');
    CHECK(hits > 60);
    CHECK(hits < 140);
}

TEST_CASE("what is wrong with a rule is said with its place, what is there and what may be there") {
    CHECK(refuses("faults: 3", "the document.faults must be a list"));
    CHECK(refuses("fault: []", "unknown member \"fault\""));
    CHECK(refuses("faults: [{dely: 1s}]", "faults[0] has an unknown member \"dely\"; known are skip"));
    CHECK(refuses("faults: [{delay: 5}]", "faults[0].delay is 5; write a length of time such as 200ms"));
    CHECK(refuses("faults: [{}, {answer: {code: 42}}]", "faults[1].answer.code must be a status from 200 to 599"));
    CHECK(refuses("faults: [{match: {verbs: [read]}}]", "faults[0].match.verbs has \"read\"; use get, list"));
    CHECK(refuses("faults: [{probability: 2}]", "faults[0].probability is 2; write a number from 0 to 1"));
    CHECK(refuses("faults: [{watch: {}}]", "faults[0].watch must have exactly one member"));
    CHECK(refuses("faults: [{times: -1}]", "write a number from 0 on"));
    CHECK(refuses("faults: [3]", "faults[0] is 3, not an object"));
    CHECK(refuses("a: b: c", "line"));
}
