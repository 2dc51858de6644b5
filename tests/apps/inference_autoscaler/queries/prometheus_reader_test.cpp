// Asking Prometheus in virtual time: equal queries once, deadlines, logins, and what the server does not know.
#include "queries/prometheus_reader.hpp"

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace inference_autoscaler;
using namespace std::chrono_literals;
using kcontrol::errc;

namespace {

const std::string one =
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}})";
const std::string nothing = R"({"status":"success","data":{"resultType":"vector","result":[]}})";
const std::string names = R"({"status":"success","data":["up","vllm:waiting"]})";

struct asking {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    std::shared_ptr<kcontrol::testing::scripted_transport> net =
        std::make_shared<kcontrol::testing::scripted_transport>(env);
    std::optional<prometheus_reader> reader{std::in_place, env, context.get_executor(), net->factory()};
    metric_server server{"http://prometheus:9090"};
    std::stop_source stop;
    std::vector<std::string> told;

    static std::string target(const std::string& query) {
        return "GET /api/v1/query?query=" + query + "&lookback_delta=60s";
    }
    kcontrol::awaitable<void> ask_once(metric_server where, std::string query) {
        const auto got = co_await reader->ask(std::move(where), std::move(query), stop.get_token());
        const auto* missing = got.missing();
        told.push_back(missing ? std::string(to_string(missing->reason)) + ": " + missing->words
                               : std::to_string(*got.known()));
    }
    void start(const std::string& query) {
        kcontrol::testing::start(context, ask_once(server, query));
        env.run_ready(context);
    }
    std::string ask(const std::string& query) {
        told.clear();
        start(query);
        if (told.empty()) env.advance(10s, context);
        REQUIRE(told.size() == 1);
        return told.front();
    }
    ~asking() {
        reader.reset();
        env.run_ready(context);
        CHECK(net->verify());
    }
};

}  // namespace

TEST_CASE_FIXTURE(asking, "equal queries share a request while it runs and for a second") {
    net->expect(target("up")).reply(200, one);
    net->expect(target("down")).reply(200, one);
    for (int i = 0; i < 100; ++i) start("up");
    start("down");
    env.advance(1s, context);
    start("up");
    CHECK(told == std::vector<std::string>(102, "1.000000"));
    CHECK(net->verify());  // with two requests
    env.advance(1ms, context);
    net->expect(target("up")).reply(200, one);
    start("up");
    CHECK(net->verify());  // and a third
    CHECK(net->connected() == 1);
}

TEST_CASE_FIXTURE(asking, "another login, authority or age is another query") {
    net->expect(target("up")).reply(200, one);
    net->expect(target("up")).with_header("Authorization", "Bearer secret").reply(200, one);
    net->expect("GET /api/v1/query?query=up&lookback_delta=5s").reply(200, one);
    net->expect(target("up")).reply(401, "no token");
    start("up");
    server.token = kcontrol::secret_string(std::string("secret"));
    start("up");
    server.max_age = 5s;
    start("up");
    server = metric_server("http://prometheus:9090");
    server.ca_pem = "PEM";
    start("up");
    CHECK(told.back() == R"(Refused: the server answered 401: "no token")");
    CHECK(net->connected() == 2);
    CHECK(net->tls().ca_pem() == "PEM");
}

TEST_CASE_FIXTURE(asking, "each way not to answer is missing, within the deadline, and asked again next time") {
    net->expect(target("up")).fail(errc::connection_refused, "nobody listens");
    CHECK(ask("up") == "NoAnswer: nobody listens");
    env.advance(2s, context);
    net->expect(target("up")).hang();
    CHECK(ask("up").starts_with("NoAnswer: "));
    CHECK(net->deadlines().back() == 5s);
    net->expect(target("up")).reply(200, std::string((1 << 20) + 1, ' '));
    CHECK(ask("up").starts_with("TooLarge: "));
    env.advance(2s, context);
    net->expect(target("up")).fail(errc::truncated, "cut off");
    CHECK(ask("up") == "NoAnswer: cut off");
    env.advance(2s, context);
    net->expect(target("up")).reply(302, "").header("Location", "http://other/");
    CHECK(ask("up") == R"(Refused: the server answered 302, a redirect to "http://other/", which is not followed)");
    env.advance(2s, context);
    net->expect(target("up")).reply(200, one);
    CHECK(ask("up") == "1.000000");
}

TEST_CASE_FIXTURE(asking, "a URL that is none says so, and is not asked") {
    server.url = "ftp://x";
    CHECK(ask("up").starts_with("NoAnswer: prometheus.url: "));
}

TEST_CASE_FIXTURE(asking, "at most 8 requests run at a time, and the wait for a turn is within the 5 s") {
    for (int i = 0; i < 8; ++i) net->expect(target("q" + std::to_string(i))).hang();
    for (int i = 0; i < 8; ++i) start("q" + std::to_string(i));
    env.advance(1s, context);
    start("q8");
    start("q9");
    CHECK(net->sent().size() == 8);
    net->expect(target("q8")).hang();
    net->expect(target("q9")).reply(200, one);
    env.advance(4s, context);
    CHECK(net->sent().size() == 10);
    CHECK(told.size() == 9);
    CHECK(std::ranges::count(told, "1.000000") == 1);
    env.advance(1s, context);
    CHECK(told.size() == 10);
    for (int i = 0; i < 8; ++i) net->expect(target("q" + std::to_string(i))).hang();
    for (int i = 0; i < 20; ++i) start("q" + std::to_string(i));
    env.advance(5s, context);
    CHECK(told.size() == 30);
    CHECK(told.back() == "NoAnswer: other requests to the server took all of the 5 s");
}

TEST_CASE_FIXTURE(asking, "a query that gives nothing: the metric is unknown, or was there once") {
    net->expect(target("vllm%3Awaitin")).reply(200, nothing);
    net->expect("GET /api/v1/label/__name__/values?limit=20000").reply(200, names);
    CHECK(ask("vllm:waitin") == "MetricNeverSeen: there is no metric \"vllm:waitin\"; near: vllm:waiting");
    net->expect(target("up")).reply(200, nothing);
    CHECK(ask("up") == "Empty: the query selects nothing");
    // What gave a value once is not looked for.
    env.advance(2min, context);
    net->expect(target("gone")).reply(200, one);
    CHECK(ask("gone") == "1.000000");
    env.advance(2s, context);
    net->expect(target("gone")).reply(200, nothing);
    CHECK(ask("gone") == "Empty: the query selects nothing");
    // A server that names none tells nothing.
    net->expect(target("vllm%3Awaitin")).reply(200, nothing);
    net->expect("GET /api/v1/label/__name__/values?limit=20000").reply(403, "");
    CHECK(ask("vllm:waitin") == "Empty: the query selects nothing");
}

TEST_CASE_FIXTURE(asking, "a stopped asker leaves; the request goes on for the others") {
    net->expect(target("up")).hang();
    std::stop_source other;
    std::swap(stop, other);
    start("up");
    std::swap(stop, other);
    start("up");
    other.request_stop();
    env.run_ready(context);
    CHECK(told == std::vector<std::string>{"NoAnswer: the program stops"});
    env.advance(5s, context);
    CHECK(told.size() == 2);
    CHECK(net->sent().size() == 1);
}

TEST_CASE_FIXTURE(asking, "its destruction ends what runs") {
    net->expect(target("up")).hang();
    start("up");
    reader.reset();
    env.run_ready(context);
    CHECK(told.size() == 1);
}
