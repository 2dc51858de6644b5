#include "guarded_serving/guard.hpp"

#include <kcontrol/serve/responses.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"

#include <doctest/doctest.h>

using namespace guarded_serving;
using kcontrol::test::fake_responder;
namespace http = kcontrol::http;
namespace testing = kcontrol::testing;

namespace {

const std::string token = "0123456789abcdef";

using header = std::pair<const char*, std::string>;

http::server_request ask(std::vector<header> headers, std::string target = "/api/v1/jobs", std::string method = "GET") {
    http::server_request out;
    out.method = std::move(method);
    out.target = std::move(target);
    for (auto& [name, value] : headers) out.headers.add(name, std::move(value));
    return out;
}

gate_rules open_rules() { return {}; }

gate_rules closed_rules() {
    gate_rules out;
    out.listen_host = "";
    out.tls = true;
    out.login = true;
    out.tokens = bearer_tokens::parse(token).value();
    out.trusted_origins = {"https://portal.corp"};
    return out;
}

}  // namespace

TEST_CASE("on loopback: who names loopback, and no page of another site") {
    struct row {
        std::vector<header> headers;
        verdict expected;
    };
    const row rows[] = {
        {{{"Host", "localhost:8080"}}, verdict::pass},
        {{{"Host", "127.0.0.1:8080"}, {"Sec-Fetch-Site", "same-origin"}}, verdict::pass},
        {{{"Host", "localhost"}, {"Sec-Fetch-Site", "none"}}, verdict::pass},
        {{{"Host", "evil.example:8080"}}, verdict::wrong_host},
        {{}, verdict::wrong_host},
        {{{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}, verdict::foreign_site},
        {{{"Host", "localhost"}, {"Sec-Fetch-Site", "same-site"}}, verdict::foreign_site},
        {{{"Host", "localhost"},
          {"Sec-Fetch-Site", "cross-site"},
          {"Sec-Fetch-Mode", "navigate"},
          {"Sec-Fetch-Dest", "document"}},
         verdict::pass},
        {{{"Host", "localhost"},
          {"Sec-Fetch-Site", "cross-site"},
          {"Sec-Fetch-Mode", "navigate"},
          {"Sec-Fetch-Dest", "iframe"}},
         verdict::foreign_site},
        {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"}}, verdict::pass},
        {{{"Host", "localhost:8080"}, {"Origin", "http://localhost:8081"}}, verdict::foreign_site},
        {{{"Host", "localhost:8080"}, {"Origin", "https://evil.example"}}, verdict::foreign_site},
        {{{"Host", "localhost:8080"}, {"Origin", "null"}}, verdict::foreign_site},
    };
    for (const auto& one : rows) {
        const auto row = &one - &rows[0];
        CAPTURE(row);
        CHECK(judge(open_rules(), ask(one.headers)).what == one.expected);
    }
    auto proxied = open_rules();
    proxied.trusted_origins = {"https://portal.corp"};
    CHECK(judge(proxied, ask({{"Host", "portal.corp"}})).what == verdict::pass);
    CHECK(judge(proxied, ask({{"Host", "portal.corp"}, {"Origin", "https://portal.corp"}})).what == verdict::pass);
    CHECK(judge(proxied, ask({{"Host", "portal.corp:8080"}})).what == verdict::wrong_host);
}

TEST_CASE("beyond loopback: a token or a certificate; the kubelet's probes need neither") {
    const auto rules = closed_rules();
    const header host{"Host", "10.0.0.1:8443"};
    CHECK(judge(rules, ask({host})).what == verdict::no_login);
    CHECK(judge(rules, ask({host, {"Authorization", "Bearer " + token}})).what == verdict::pass);
    CHECK(judge(rules, ask({host, {"Authorization", "Bearer x" + token}})).what == verdict::no_login);
    auto certified = ask({host});
    certified.client_subject = "alice";
    CHECK(judge(rules, certified).what == verdict::pass);
    for (const char* probe : {"/healthz", "/readyz"}) CHECK(judge(rules, ask({host}, probe)).what == verdict::pass);
    for (const char* more :
         {"/readyz?verbose", "/healthz/", "/metrics", "/", "/api/v1/events", "//healthz", "/healthz?x"}) {
        CAPTURE(more);
        CHECK(judge(rules, ask({host}, more)).what == verdict::no_login);
    }
}

TEST_CASE("a trusted origin reads across sites, but not without a login") {
    const auto rules = closed_rules();
    const header host{"Host", "monitor.corp"}, site{"Sec-Fetch-Site", "cross-site"};
    const header origin{"Origin", "https://portal.corp"}, login{"Authorization", "Bearer " + token};
    auto passed = judge(rules, ask({host, site, origin, login}));
    CHECK(passed.what == verdict::pass);
    CHECK(passed.allowed_origin == "https://portal.corp");
    CHECK(judge(rules, ask({host, site, origin})).what == verdict::no_login);
    CHECK(judge(rules, ask({host, site, login})).what == verdict::foreign_site);
    CHECK(judge(rules, ask({host, site, {"Origin", "http://portal.corp"}, login})).what == verdict::foreign_site);
    CHECK(judge(rules, ask({host, site, {"Origin", "https://portal.corp.evil"}, login})).what == verdict::foreign_site);
    const header method{"Access-Control-Request-Method", "GET"};
    CHECK(judge(rules, ask({host, site, origin, method}, "/", "OPTIONS")).what == verdict::preflight);
    CHECK(judge(rules, ask({host, site, method}, "/", "OPTIONS")).what == verdict::foreign_site);
}

TEST_CASE("origins of the command line") {
    CHECK(parse_origin("https://Portal.Corp:443").value() == "https://portal.corp");
    CHECK(parse_origin("http://localhost:3000").value() == "http://localhost:3000");
    for (const char* bad : {"portal.corp", "https://portal.corp/", "*", "ftp://x", "https://", "null"}) {
        CAPTURE(bad);
        CHECK(parse_origin(bad).error() == kcontrol::errc::invalid_argument);
    }
}

TEST_CASE("the guard answers for what it does not let in, and the inner handler never hears of it") {
    testing::manual_environment env;
    boost::asio::io_context context;
    fake_responder out(env);
    int heard = 0;
    guard gate(closed_rules());
    const auto handler = gate.before([&heard](http::server_request, http::responder& to) -> kcontrol::awaitable<void> {
        ++heard;
        auto answer = http::json_response(200, "{}");
        (void)co_await to.send(std::move(answer));
    });
    const auto run = [&](const http::server_request& request) {
        testing::run(context, handler(request, out));
        return out.head.status;
    };
    const header host{"Host", "monitor.corp"}, site{"Sec-Fetch-Site", "cross-site"},
        origin{"Origin", "https://portal.corp"};
    const header login{"Authorization", "Bearer " + token};
    CHECK(run(ask({host})) == 401);
    CHECK(out.head.headers.get("WWW-Authenticate").starts_with("Bearer"));
    CHECK(out.head.headers.get("Strict-Transport-Security") == "max-age=31536000");
    CHECK(run(ask({{"Host", "localhost:8443"}})) == 401);
    CHECK(out.head.headers.get("Strict-Transport-Security").empty());
    CHECK(run(ask({host, site})) == 403);
    CHECK(out.head.headers.get("Access-Control-Allow-Origin").empty());
    CHECK(run(ask({host, site, origin, {"Access-Control-Request-Method", "GET"}}, "/", "OPTIONS")) == 204);
    CHECK(out.head.headers.get("Access-Control-Allow-Origin") == "https://portal.corp");
    CHECK(heard == 0);
    CHECK_FALSE(out.admitted);
    CHECK(run(ask({host}, "/healthz")) == 200);  // a probe is let in, and stays a stranger
    CHECK_FALSE(out.admitted);
    heard = 0;
    CHECK(run(ask({host, login})) == 200);
    CHECK(out.admitted);
    CHECK(out.head.headers.get("Access-Control-Allow-Origin").empty());
    CHECK(out.head.headers.get("Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(run(ask({host, site, origin, login})) == 200);
    CHECK(out.head.headers.get("Access-Control-Allow-Origin") == "https://portal.corp");
    CHECK(heard == 2);

    gate.replace_tokens(bearer_tokens::parse("another-token-entirely").value());
    CHECK(run(ask({host, login})) == 401);
    CHECK(run(ask({host, {"Authorization", "Bearer another-token-entirely"}})) == 200);
}

TEST_CASE("the guard adds to what an answer says it varies by") {
    testing::manual_environment env;
    boost::asio::io_context context;
    fake_responder out(env);
    guard gate(open_rules());
    const auto handler = gate.before([](http::server_request, http::responder& to) -> kcontrol::awaitable<void> {
        auto answer = http::json_response(200, "{}");
        answer.headers.set("Vary", "Accept-Encoding");
        (void)co_await to.send(std::move(answer));
    });
    testing::run(context, handler(ask({{"Host", "localhost"}}), out));
    CHECK(out.head.headers.get("Vary") == "Origin, Sec-Fetch-Site, Accept-Encoding");
}
