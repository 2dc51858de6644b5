// The text of the health endpoints, as kube-apiserver writes it.
#include <kcontrol/manager/health.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;

namespace {

const health_check good = []() -> result<void> { return {}; };
const health_check bad = []() -> result<void> { return error(errc::not_synced, "pods\x1b[31m: forbidden"); };

http::response get(const std::string& target, const std::vector<named_check>& checks, std::string path = "/readyz") {
    return health_handler(http::request("GET", target), path, checks);
}

}  // namespace

TEST_CASE("answers, one row a request") {
    const std::vector<named_check> well{named_check("zeta", good), named_check("alpha", good)};
    const std::vector<named_check> ill{named_check("zeta", bad), named_check("alpha", good)};
    const std::string reason = error(errc::not_synced, "pods\\x1b[31m: forbidden").what();
    struct row {
        std::string target;
        const std::vector<named_check>& checks;
        int status;
        std::string body;
    };
    const row rows[] = {
        {"/readyz", well, 200, "ok"},
        {"/readyz/", well, 200, "ok"},
        {"/readyz?verbose", well, 200, "[+]alpha ok\n[+]zeta ok\nreadyz check passed\n"},
        {"/readyz?verbose=1", well, 200, "[+]alpha ok\n[+]zeta ok\nreadyz check passed\n"},
        {"/readyz", ill, 500, "[+]alpha ok\n[-]zeta failed: reason withheld\nreadyz check failed\n"},
        {"/readyz?verbose", ill, 500, "[+]alpha ok\n[-]zeta failed: " + reason + "\nreadyz check failed\n"},
        {"/readyz?exclude=zeta", ill, 200, "ok"},
        {"/readyz?verbose&exclude=zeta", ill, 200, "[+]alpha ok\n[+]zeta excluded: ok\nreadyz check passed\n"},
        {"/readyz?verbose&exclude=zeta&exclude=alpha", ill, 200,
         "[+]alpha excluded: ok\n[+]zeta excluded: ok\nreadyz check passed\n"},
        {"/readyz?verbose&exclude=no%0Ae&exclude=b", well, 200,
         "[+]alpha ok\n[+]zeta ok\nwarn: some health checks cannot be excluded: no matches for \"b\", "
         "\"no\\x0ae\"\nreadyz check passed\n"},
        {"/readyz/alpha", ill, 200, "ok"},
        {"/readyz/zeta", ill, 500, "internal server error: " + reason + "\n"},
        {"/readyz/none", ill, 404, "no such check\n"},
        {"/readyzz", well, 404, "not found\n"},
        {"/other", well, 404, "not found\n"},
    };
    for (const row& r : rows) {
        CAPTURE(r.target);
        const auto answer = get(r.target, r.checks);
        CHECK(answer.status == r.status);
        CHECK(answer.body == r.body);
        CHECK(answer.headers.get("Content-Type") == "text/plain; charset=utf-8");
        CHECK(answer.headers.get("X-Content-Type-Options") == "nosniff");
    }
}

TEST_CASE("without checks there is a ping; the last line carries the path's name") {
    CHECK(get("/healthz?verbose", {}, "/healthz").body == "[+]ping ok\nhealthz check passed\n");
    CHECK(get("/healthz/ping", {}, "/healthz").body == "ok");
}

TEST_CASE("a check that throws has failed") {
    const health_check throws = []() -> result<void> { throw std::runtime_error("boom"); };
    const auto answer = get("/readyz?verbose", {named_check("x", throws)});
    CHECK(answer.status == 500);
    CHECK(answer.body == "[-]x failed: the check threw: boom\nreadyz check failed\n");
    const health_check by_int = []() -> result<void> { throw 7; };
    CHECK(get("/readyz?verbose", {named_check("x", by_int)}).body ==
          "[-]x failed: the check threw: an exception that is no std::exception\nreadyz check failed\n");
}

TEST_CASE("other methods are refused") {
    CHECK(health_handler(http::request("POST", "/readyz"), "/readyz", {}).status == 405);
    CHECK(health_handler(http::request("HEAD", "/readyz"), "/readyz", {}).status == 200);
}

TEST_CASE("a name that would steer a terminal does not get there") {
    const std::vector<named_check> checks{named_check("a\x1b[2J\n", good), named_check("b\xff", bad)};
    const auto answer = get("/readyz?verbose&exclude=x", checks).body;
    CHECK(answer.find("[+]a\\x1b[2J\\x0a ok\n") == 0);
    CHECK(answer.find('\x1b') == std::string::npos);
}

TEST_CASE("the server of probes has little to lose") {
    const auto options = health_server_options();
    CHECK(options.max_connections() <= 64);
    CHECK(options.max_buffered_bytes() <= std::size_t{1} << 20);
    CHECK(options.first_request_timeout() <= std::chrono::seconds(5));
}

TEST_CASE("a verbose answer has the details of a check, well or not") {
    const health_details lines = [] { return std::vector<std::string>{"pods: live", "jobs\n: failed"}; };
    const health_details throws = []() -> std::vector<std::string> { throw std::runtime_error("boom"); };
    const std::vector<named_check> checks{named_check("a", good, lines), named_check("b", bad, lines),
                                          named_check("c", good, throws)};
    const std::string body = get("/readyz?verbose", checks).body;
    CHECK_MESSAGE(body.find("[+]a ok\n    pods: live\n    jobs\\x0a: failed\n[-]b failed: ") == 0, body);
    CHECK(body.find("forbidden\n    pods: live\n    jobs\\x0a: failed\n[+]c ok\n    the details threw: boom\n") !=
          std::string::npos);
    CHECK(get("/readyz", checks).body.find("pods: live") == std::string::npos);
    CHECK(get("/readyz?verbose&exclude=a&exclude=b&exclude=c", checks).body.find("pods: live") == std::string::npos);
}
