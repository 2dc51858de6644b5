// Who gets through to a program's own endpoints, and what the cluster is asked about it.
#include <kcontrol/access/delegated_access.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

#include "support/print.hpp"
#include "support/recording_responder.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::access_rule;
using testing::fault;

constexpr const char* prometheus = "token-of-prometheus-5e0c";
constexpr const char* weak = "token-of-someone-77aa";
constexpr const char* guessed = "token-of-nobody-1234";

struct answer_of final : recording_responder {
    awaitable<result<void>> write(std::string) override { co_return error(errc::unavailable); }
};

struct fixture : widget_world {
    fixture() {
        server.api.access().set_tokens(
            {{"own", "system:serviceaccount:ops:operator"}, {prometheus, "prometheus"}, {weak, "someone"}});
        server.api.access().forbid(access_rule("someone", "*", "/metrics"));
        server.api.access().forbid(access_rule("prometheus", "post", "/metrics"));
        guard();
    }

    void guard(access_options options = {}) {
        const logger log([this](const log_record& r) {
            logged += std::string(r.message);
            for (const auto& field : r.fields) logged += " " + std::string(field.name) + "=" + field.value;
            logged += "\n";
        });
        access.emplace(delegated_access::create(connect(server.config("own")), std::move(options), log).value());
        handler = access->guard([this](http::server_request asked, http::responder& out) -> awaitable<void> {
            seen = asked.method + " " + asked.target + " " + std::string(asked.headers.get("Authorization"));
            http::response answer(200, "text/plain", "the numbers");
            auto sent = co_await out.send(std::move(answer));
            static_cast<void>(sent);
        });
    }

    static http::server_request request(const std::string& header, std::string target = "/metrics",
                                        std::string method = "GET") {
        http::server_request out(http::request(std::move(method), std::move(target)));
        if (!header.empty()) out.headers.set("Authorization", header);
        return out;
    }

    // The status; the rest is in `to`.
    int ask(const std::string& header, std::string target = "/metrics", std::string method = "GET") {
        to = answer_of();
        const auto took = env.now();
        world.run(handler(request(header, std::move(target), std::move(method)), to));
        asked_for = env.now() - took;
        return to.head.status;
    }
    int ask_as(const std::string& token) { return ask("Bearer " + token); }

    // One that waits: until() or go_away() ends it.
    std::unique_ptr<answer_of> begin(const std::string& token) {
        auto out = std::make_unique<answer_of>();
        boost::asio::co_spawn(home, handler(request("Bearer " + token), *out), boost::asio::detached);
        return out;
    }

    std::size_t token_reviews() { return server.api.request_log().count("create", "tokenreviews"); }
    std::size_t access_reviews() { return server.api.request_log().count("create", "subjectaccessreviews"); }

    void answer_reviews_with(std::function<fault(const http::server_request&)> how) {
        server.api.set_faults([how = std::move(how)](const http::server_request& r) {
            return r.target.find("reviews") == std::string::npos ? fault() : how(r);
        });
    }

    widget_server& server = add("a");
    std::string logged, seen;
    std::optional<delegated_access> access;
    http::handler handler;
    answer_of to;
    duration asked_for{};
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "who gets through") {
    struct row {
        const char* what;
        std::string header, target, method;
        int status;
        const char* text;
    };
    const std::string good = std::string("Bearer ") + prometheus;
    const row rows[] = {
        {"no token", "", "/metrics", "GET", 401, "a token of the cluster is needed"},
        {"a password", "Basic YTpi", "/metrics", "GET", 401, "a token of the cluster is needed"},
        {"an empty token", "Bearer  ", "/metrics", "GET", 401, "a token of the cluster is needed"},
        {"no space", "Bearer", "/metrics", "GET", 401, "a token of the cluster is needed"},
        {"nobody's token", std::string("Bearer ") + guessed, "/metrics", "GET", 401, "does not know this token"},
        {"somebody who may not", std::string("Bearer ") + weak, "/metrics", "GET", 403, "someone may not get /metrics"},
        {"somebody who may", good, "/metrics", "GET", 200, "the numbers"},
        {"a scheme in small letters", std::string("bearer ") + prometheus, "/metrics", "GET", 200, "the numbers"},
        {"the query is no part of it", good, "/metrics?a=/b", "GET", 200, "the numbers"},
        {"another verb", good, "/metrics", "POST", 403, "prometheus may not post /metrics"},
        {"the path in disguise", std::string("Bearer ") + weak, "/%6detrics", "GET", 403, "may not get /metrics"},
        {"another path", std::string("Bearer ") + weak, "/other", "GET", 200, "the numbers"},
        {"a broken escape", good, "/metrics%", "GET", 400, "broken escape"},
    };
    for (const row& row : rows) {
        CAPTURE(std::string(row.what));
        seen.clear();
        CHECK(ask(row.header, row.target, row.method) == row.status);
        CHECK_MESSAGE(to.body.find(row.text) != std::string::npos, to.body);
        CHECK(to.admitted == (row.status == 200));
        CHECK(to.head.headers.contains("WWW-Authenticate") == (row.status == 401));
        // The handler gets no token, and nobody else gets to the handler.
        CHECK(seen == (row.status == 200 ? row.method + " " + row.target + " " : ""));
    }
    const access_stats stats = access->stats();
    CHECK(stats.allowed == 4);
    CHECK(stats.unauthorized == 5);
    CHECK(stats.forbidden == 3);
    CHECK(stats.failed == 0);
    CHECK(stats.malformed == 1);
    CHECK(stats.allowed + stats.unauthorized + stats.forbidden + stats.malformed == std::size(rows));
    for (const char* token : {prometheus, weak, guessed}) CHECK(logged.find(token) == std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "answers are believed for controller-runtime's times") {
    for (int i = 0; i < 5; ++i) CHECK(ask_as(prometheus) == 200);
    CHECK(token_reviews() == 1);
    CHECK(access_reviews() == 1);
    for (int i = 0; i < 5; ++i) CHECK(ask_as(guessed) == 401);
    CHECK(token_reviews() == 2);
    CHECK(ask_as(weak) == 403);
    CHECK(access_reviews() == 2);
    context.run_for(20s);
    CHECK(ask_as(weak) == 403);
    CHECK(access_reviews() == 2);
    context.run_for(11s);  // a refusal: 30 s
    CHECK(ask_as(weak) == 403);
    CHECK(access_reviews() == 3);
    CHECK(token_reviews() == 3);
    context.run_for(30s);  // whose a token is: 1 min
    CHECK(ask_as(prometheus) == 200);
    CHECK(ask_as(guessed) == 401);
    CHECK(token_reviews() == 5);
    CHECK(access_reviews() == 3);
    context.run_for(4min);  // a permission: 5 min
    CHECK(ask_as(prometheus) == 200);
    CHECK(access_reviews() == 4);
    // One that is taken back counts from then on.
    server.api.access().forbid(access_rule("prometheus", "*", "/metrics"));
    context.run_for(301s);
    CHECK(ask_as(prometheus) == 403);
}

TEST_CASE_FIXTURE(fixture, "who asks the same at the same time waits for one answer, and may go") {
    answer_reviews_with([](const auto&) { return fault().delay(3s); });
    std::vector<std::unique_ptr<answer_of>> all;
    for (int i = 0; i < 20; ++i) all.push_back(begin(prometheus));
    context.run_for(1s);
    all.front()->go_away();
    context.run_for(1s);
    CHECK(all.front()->head.status == 503);
    context.run_for(10s);
    for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i]->head.status == 200);
    CHECK(token_reviews() == 1);
    CHECK(access_reviews() == 1);
    CHECK(access->stats().ended == 1);
    CHECK(access->stats().allowed == all.size() - 1);
}

TEST_CASE_FIXTURE(fixture, "a cluster that can't be asked lets nobody through, and says why in the log") {
    struct row {
        const char* what;
        std::function<fault(const http::server_request&)> how;
        duration most;
        std::size_t tries;
    };
    const row rows[] = {
        {"an error that may pass is asked again, five times in all",
         [](const auto&) { return fault().status(500, "InternalError", "etcd is away"); }, 6s, 5},
        {"an answer that was lost", [](const auto&) { return fault().drop_response(); }, 6s, 5},
        {"a refusal is final: this program lacks the right",
         [](const auto&) { return fault().status(403, "Forbidden", "may not create tokenreviews"); }, 1s, 1},
        {"no answer at all", [](const auto&) { return fault().hang(); }, 10500ms, 1},
        {"no JSON", [](const auto&) { return fault().answer(http::response(201, "application/json", "{")); }, 1s, 1},
        {"a member twice",
         [](const auto&) {
             return fault().answer(
                 http::response(201, "application/json", R"({"status":{"authenticated":false,"authenticated":true}})"));
         },
         1s, 1},
        {"the token in the wrong place",
         [](const auto&) {
             return fault().answer(http::response(
                 201, "application/json", std::string(R"({"status":{"authenticated":")") + prometheus + "\"}}"));
         },
         1s, 1},
        {"a page", [](const auto&) { return fault().html(200); }, 1s, 1},
    };
    for (const row& row : rows) {
        CAPTURE(std::string(row.what));
        guard();
        logged.clear();
        std::size_t tries = 0;
        answer_reviews_with([&](const http::server_request& r) { return ++tries, row.how(r); });
        seen.clear();
        CHECK(ask_as(prometheus) == 500);
        CHECK(asked_for <= row.most);
        CHECK(tries == row.tries);
        CHECK(seen == "");
        CHECK(to.body == "500: the cluster could not be asked who asks; this program's log says why\n");
        CHECK_MESSAGE(logged.find("could not be asked about=who asks error=") != std::string::npos, logged);
        CHECK(logged.find(prometheus) == std::string::npos);
        // It is not remembered.
        answer_reviews_with([](const auto&) { return fault(); });
        CHECK(ask_as(prometheus) == 200);
    }
    // The same of the second question.
    guard();
    answer_reviews_with([](const http::server_request& r) {
        const bool second = r.target.find("subject") != std::string::npos;
        return second ? fault().status(403, "Forbidden", "may not create subjectaccessreviews") : fault();
    });
    CHECK(ask_as(prometheus) == 500);
    CHECK(to.body == "500: the cluster could not be asked what he may do; this program's log says why\n");
    answer_reviews_with([](const http::server_request& r) {
        const bool second = r.target.find("subject") != std::string::npos;
        return second ? fault().answer(
                            http::response(201, "application/json", R"({"status":{"allowed":true,"denied":true}})"))
                      : fault();
    });
    CHECK(ask_as(prometheus) == 500);
    CHECK(access->stats().failed == 2);
}

TEST_CASE_FIXTURE(fixture, "an error that passes costs a while, and no request") {
    int left = 2;
    answer_reviews_with([&](const auto&) {
        return left-- > 0 ? fault().status(503, "ServiceUnavailable", "the server is starting") : fault();
    });
    CHECK(ask_as(prometheus) == 200);
    CHECK(asked_for >= 1250ms);  // 500 ms and 750 ms, and up to a fifth more
    CHECK(asked_for < 2s);
    CHECK(access->stats().token_reviews == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "a crowd of guesses is bounded, at the cluster and here, and drives out no one who is known") {
    guard(access_options().max_reviews(2, 3).max_cached(8));
    CHECK(ask_as(prometheus) == 200);
    std::size_t at_once = 0, most_at_once = 0;
    answer_reviews_with(
        [&](const auto&) { return most_at_once = std::max(most_at_once, ++at_once), fault().delay(1s); });
    std::vector<std::unique_ptr<answer_of>> crowd;
    for (int i = 0; i < 20; ++i) crowd.push_back(begin("guess-" + std::to_string(i)));
    context.run_for(500ms);
    CHECK(at_once == 2);
    std::size_t refused = 0;
    for (const auto& one : crowd) refused += one->head.status == 503 ? 1 : 0;
    CHECK(refused == 15);
    CHECK(crowd.back()->head.headers.get("Retry-After") == "1");
    CHECK(ask_as(prometheus) == 200);
    context.run_for(10s);
    CHECK(at_once == 5);  // the other three, each in its turn
    CHECK(access->stats().overloaded == 15);
    answer_reviews_with([](const auto&) { return fault(); });
    for (int i = 0; i < 30; ++i) CHECK(ask_as("guess-" + std::to_string(i)) == 401);
    const std::size_t asked = token_reviews();
    CHECK(ask_as(prometheus) == 200);
    CHECK(token_reviews() == asked);
}

TEST_CASE_FIXTURE(fixture, "the end: who waits is answered, and nobody is let in afterwards") {
    answer_reviews_with([](const auto&) { return fault().hang(); });
    const auto waiting = begin(prometheus);
    context.run_for(1s);
    CHECK(waiting->head.status == 0);
    access.reset();
    context.run_for(1s);
    CHECK(waiting->head.status == 503);
    CHECK(network.open_exchanges("a") == 0);
    CHECK(ask_as(prometheus) == 503);
}

TEST_CASE_FIXTURE(fixture, "paths for everybody, audiences, and the metrics") {
    guard(access_options().always_allow("/healthz").audience("metrics"));
    CHECK(ask("", "/healthz") == 200);
    CHECK(ask("", "/healthz?verbose") == 200);
    CHECK(ask("", "/healthz/x") == 401);
    CHECK(ask("", "/readyz") == 401);
    // The server of these tests knows no audiences, so a token is for none that was asked for.
    CHECK(ask_as(prometheus) == 401);
    std::string body;
    answer_reviews_with([&](const http::server_request& r) {
        body = r.body;
        return r.target.find("token") == std::string::npos
                   ? fault()
                   : fault().answer(http::response(201, "application/json",
                                                   R"({"kind":"TokenReview","status":{"authenticated":true,)"
                                                   R"("audiences":["metrics"],"user":{"username":"u","uid":"7",)"
                                                   R"("groups":["g"],"extra":{"k":["v"]}}}})"));
    });
    context.run_for(61s);
    CHECK(ask_as(prometheus) == 200);
    // All that is known of a user goes into the second question.
    CHECK(body == R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"extra":)"
                  R"({"k":["v"]},"groups":["g"],"nonResourceAttributes":{"path":"/metrics","verb":"get"},"uid":"7",)"
                  R"("user":"u"},"status":{"allowed":false}})");
    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { write_access_metrics(out, "main", access->stats()); });
    const std::string text = registry.text();
    CHECK(text.find("kcontrol_http_access_total{outcome=\"allowed\",server=\"main\"} 3\n") != std::string::npos);
    CHECK(text.find("kcontrol_http_access_total{outcome=\"unauthorized\",server=\"main\"} 3\n") != std::string::npos);
    CHECK(text.find("kcontrol_http_access_total{outcome=\"malformed\",server=\"main\"} 0\n") != std::string::npos);
    CHECK(text.find("kcontrol_http_access_total{outcome=\"ended\",server=\"main\"} 0\n") != std::string::npos);
    CHECK(text.find("kcontrol_http_access_reviews_total{review=\"token\",server=\"main\"} 2\n") != std::string::npos);
    CHECK(text.find(prometheus) == std::string::npos);
}
