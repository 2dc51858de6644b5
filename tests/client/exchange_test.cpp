#include <kcontrol/metrics/metrics_registry.hpp>

#include "fixture.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string too_many = R"({"kind":"Status","code":429,"reason":"TooManyRequests","message":"slow down"})";
const std::string unauthorized = R"({"kind":"Status","code":401,"reason":"Unauthorized","message":"no"})";

awaitable<result<any_object>> get_a(client& c, get_options options = {}) {
    return c.get(widgets(), {"default", "a"}, std::move(options));
}

const std::string get_target = std::string("GET ") + widgets_path + "/a";

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "answers with Retry-After are tried again") {
    for (const int status : {429, 500, 503}) {
        net->expect(get_target).reply(status, too_many).header("Retry-After", "2");
    }
    net->expect(get_target).reply(200, widget_json("a"));
    client c = connect();
    const auto before = env.now();
    CHECK(await(get_a(c)).has_value());
    // Never earlier than the server says, and up to half as much later.
    CHECK(env.now() - before >= std::chrono::seconds(6));
    CHECK(env.now() - before <= std::chrono::seconds(9));
    CHECK(net->deadlines().back() == std::chrono::seconds(30) - (env.now() - before));  // what is left of the call's
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "writes are tried again as well, since the server has refused them") {
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "1");
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    client c = connect();
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->sent()[0].body == net->sent()[1].body);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the client counts answers 429 and its writes, tries included") {
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "1");
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(get_target).reply(429, too_many);
    client c = connect();
    const client copy = c;
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(!await(get_a(c)).has_value());
    CHECK(copy.load().throttled == 2);
    CHECK(copy.load().writes == 2);
    CHECK(copy.load().write_time == duration::zero());  // the scripted server is quick; the wait between is none of its
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "requests are counted by method and code, as they were sent, of all copies") {
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "1");
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(get_target).reply(404, "{}");
    net->expect(get_target).fail(errc::connection_lost);
    client c = connect();
    client fenced = c.guarded([]() -> result<duration> { return error(errc::not_leading, "no"); });
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(!await(get_a(c)).has_value());
    CHECK(!await(get_a(fenced)).has_value());
    CHECK(!await(fenced.create(widgets(), make_widget("default", "a"), {})).has_value());  // is not sent
    using counted = std::map<std::pair<std::string, std::string>, std::uint64_t>;
    const request_counts& seen = c.requests();
    CHECK(seen.host == "api.test:6443");
    CHECK(seen.requests ==
          counted{{{"GET", "404"}, 1}, {{"GET", "<error>"}, 1}, {{"POST", "201"}, 1}, {{"POST", "429"}, 1}});
    CHECK(seen.retries == counted{{{"POST", "429"}, 1}});
    CHECK(seen.durations.at("POST").count() == 2);
    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { write_request_metrics(out, seen, {{"cluster", "a"}}); });
    const std::string text = registry.text();
    CAPTURE(text);
    for (const char* line :
         {"rest_client_requests_total{cluster=\"a\",code=\"<error>\",host=\"api.test:6443\",method=\"GET\"} 1\n",
          "rest_client_request_retries_total{cluster=\"a\",code=\"429\",host=\"api.test:6443\",verb=\"POST\"} 1\n",
          "rest_client_request_duration_seconds_count{cluster=\"a\",host=\"api.test:6443\",verb=\"POST\"} 2\n"}) {
        CAPTURE(line);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture,
                  "each try of a traced client's request is a span under its parent; a sink that throws ends nothing") {
    net->expect(std::string("POST ") + widgets_path).reply(429, too_many).header("Retry-After", "1");
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(get_target).fail(errc::connection_lost, "cut");
    net->expect(get_target).reply(200, widget_json("a"));
    net->expect(get_target).reply(200, widget_json("a"));
    std::string spans;
    bool throws = false;
    client plain = connect();
    client c = plain.traced(trace_parent(
        [&](const trace_span& span) {
            if (throws) throw std::runtime_error("full");
            spans += std::string(span.name) + " under " + span.parent;
            for (const log_field& field : span.fields) spans += " " + field.value;
            spans += span.error.empty() ? "\n" : ": " + span.error + "\n";
        },
        "id-1"));
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(!await(get_a(c)).has_value());
    CHECK(await(get_a(plain)).has_value());  // is not traced
    throws = true;
    CHECK(await(get_a(c)).has_value());
    const std::string on_widgets = std::string(widgets_path) + " api.test:6443 ";
    CHECK(spans == "request under id-1 POST " + on_widgets + "429: HTTP 429\n" + "request under id-1 POST " +
                       on_widgets + "201\n" + "request under id-1 GET " + widgets_path + "/a api.test:6443: cut\n");
    // What is counted is counted together.
    CHECK(plain.load().writes == 2);
    CHECK(plain.requests().requests.size() == 4);
    CHECK(std::count_if(logged.begin(), logged.end(), [](const std::string& line) {
              return line.find("the sink of spans") != std::string::npos;
          }) == 1);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a traced client tells the server of its spans if it is asked to, a span each try") {
    net->expect(get_target).reply(429, too_many).header("Retry-After", "1");
    net->expect(get_target).reply(200, widget_json("a"));
    net->expect(get_target).reply(200, widget_json("a"));
    std::vector<trace_span> spans;
    trace_parent parent([&](const trace_span& span) { spans.push_back(span); }, "id-1");
    parent.context = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").value();
    client plain = connect();
    client c = plain.traced(parent.propagated());
    CHECK(await(get_a(c)).has_value());
    client silent = plain.traced(parent);
    CHECK(await(get_a(silent)).has_value());
    REQUIRE(spans.size() == 3);
    REQUIRE(net->sent().size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(spans[i].under == parent.context);
        CHECK(spans[i].context.trace_id == parent.context.trace_id);
        CHECK(spans[i].context.sampled);
        const std::string said(net->sent()[i].headers.get("traceparent"));
        CHECK(said == (i < 2 ? to_traceparent(spans[i].context) : ""));
    }
    CHECK(spans[0].context.span_id != spans[1].context.span_id);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the sizes of bodies are counted, those that were sent and those that came whole") {
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    net->expect(get_target).reply(200, widget_json("a"));
    net->expect(get_target).fail(errc::connection_lost, "cut");
    client c = connect();
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(await(get_a(c)).has_value());
    CHECK(!await(get_a(c)).has_value());
    const request_counts& counts = c.requests();
    const double answer = static_cast<double>(widget_json("a").size());
    CHECK(counts.request_sizes.at("POST").count() == 1);
    CHECK(counts.request_sizes.at("POST").sum() > 20);
    CHECK(counts.request_sizes.at("GET").count() == 2);
    CHECK(counts.request_sizes.at("GET").sum() == 0);
    CHECK(counts.response_sizes.at("POST").sum() == answer);
    CHECK(counts.response_sizes.at("GET").count() == 1);
    CHECK(counts.response_sizes.at("GET").sum() == answer);
    CHECK_FALSE(counts.lookups);
    request_counts known;
    known.host = "h";
    known.count_lookup(std::chrono::milliseconds(30));
    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { write_request_metrics(out, known, {{"cluster", "a"}}); });
    const std::string text = registry.text();
    CHECK(text.find("rest_client_dns_resolution_duration_seconds_bucket{cluster=\"a\",host=\"h\",le=\"0.025\"} 0\n") !=
          std::string::npos);
    CHECK(text.find("rest_client_dns_resolution_duration_seconds_bucket{cluster=\"a\",host=\"h\",le=\"0.1\"} 1\n") !=
          std::string::npos);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "no retry without Retry-After, and none of other answers") {
    struct row {
        int status;
        const char* after;
    };
    for (const auto& r : {row{429, ""}, row{503, "soon"}, row{404, "1"}, row{409, "1"}}) {
        CAPTURE(r.status);
        net->expect(get_target).reply(r.status, "{}").header("Retry-After", r.after);
        client c = connect();
        CHECK(!await(get_a(c)).has_value());
        CHECK(net->verify());
    }
}

TEST_CASE_FIXTURE(client_fixture, "at most ten retries") {
    for (int i = 0; i < 11; ++i) net->expect(get_target).reply(503, too_many).header("Retry-After", "1");
    client c = connect();
    const auto outcome = await(get_a(c));
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error() == api_errc::too_many_requests);
    CHECK(outcome.error().status()->retry_after == std::chrono::seconds(1));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "Retry-After: 0 is tried again at once, and then no more than once a second") {
    for (int i = 0; i < 11; ++i) net->expect(get_target).reply(503, too_many).header("Retry-After", "0");
    client c = connect();
    const auto before = env.now();
    CHECK(!await(get_a(c)).has_value());
    CHECK(env.now() - before >= std::chrono::seconds(9));
    CHECK(env.now() - before <= std::chrono::milliseconds(13'500));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "clients that are sent away together do not come back together") {
    std::set<duration> waits;
    for (int i = 0; i < 20; ++i) {
        net->expect(get_target).reply(429, too_many).header("Retry-After", "2");
        net->expect(get_target).reply(200, widget_json("a"));
        client c = connect();
        const auto before = env.now();
        CHECK(await(get_a(c)).has_value());
        waits.insert(env.now() - before);
    }
    CHECK(waits.size() == 20);
    CHECK(*waits.begin() >= std::chrono::seconds(2));
    CHECK(*waits.rbegin() <= std::chrono::seconds(3));
    CHECK(*waits.rbegin() - *waits.begin() > std::chrono::milliseconds(500));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a try for which there is time is not given up for jitter") {
    for (int i = 0; i < 20; ++i) {
        net->expect(get_target).reply(429, too_many).header("Retry-After", "4");
        net->expect(get_target).reply(200, widget_json("a"));
        client c = connect();
        get_options options;
        options.deadline(std::chrono::seconds(5));
        CHECK(await(get_a(c, options)).has_value());
        CHECK(net->deadlines().back() == std::chrono::seconds(1));
    }
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a retry beyond the deadline is not waited for") {
    net->expect(get_target).reply(429, too_many).header("Retry-After", "10");
    client c = connect();
    const auto before = env.now();
    get_options options;
    options.deadline(std::chrono::seconds(5));
    CHECK(await(get_a(c, options)).error() == api_errc::too_many_requests);
    CHECK(env.now() == before);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "401: the rotated token is sent") {
    env.files["/token"] = "first\n";
    config.token_file("/token");
    net->expect("GET /warm").with_header("Authorization", "Bearer first").reply(200, "ok", "text/plain");
    net->expect(get_target).with_header("Authorization", "Bearer first").reply(401, unauthorized);
    net->expect(get_target).with_header("Authorization", "Bearer second").reply(200, widget_json("a"));
    client c = connect();
    CHECK(await(c.raw(http::request("GET", "/warm"), {})).has_value());
    env.files["/token"] = "second\n";
    CHECK(await(get_a(c)).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "401: once and no more, and never for a fixed token") {
    client_fixture fixed;
    fixed.config.token(secret_string("fixed"));
    fixed.net->expect(get_target).with_header("Authorization", "Bearer fixed").reply(401, unauthorized);
    client with_fixed = fixed.connect();
    CHECK(fixed.await(get_a(with_fixed)).error() == api_errc::unauthorized);
    CHECK(fixed.net->verify());

    env.files["/token"] = "t";
    config.token_file("/token");
    net->expect(get_target).reply(401, unauthorized);
    net->expect(get_target).reply(401, unauthorized);
    client c = connect();
    CHECK(await(get_a(c)).error() == api_errc::unauthorized);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a token that can't be had fails the call before anything is sent") {
    config.token_file("/nowhere");
    client c = connect();
    CHECK(await(get_a(c)).error() == errc::file_failed);
    CHECK(net->sent().empty());
}

TEST_CASE_FIXTURE(client_fixture, "headers of a request") {
    net->expect(get_target).with_header("Accept", "application/json").reply(200, widget_json("a"));
    net->expect("GET /base/metrics")
        .with_header("Accept", "text/plain")
        .with_header("Authorization", "Basic x")
        .reply(200, "m", "");
    client c = connect();
    CHECK(await(get_a(c)).has_value());
    CHECK(net->sent()[0].headers.get("User-Agent").substr(0, 9) == "kcontrol/");
    CHECK(!net->sent()[0].headers.contains("Authorization"));
    config.token(secret_string("t"));
    config.base_path("/base");
    client prefixed = connect();
    http::request req("GET", "/metrics");
    req.headers.set("Accept", "text/plain");
    req.headers.set("Authorization", "Basic x");
    const auto raw = await(prefixed.raw(req, {}));
    REQUIRE(raw.has_value());
    CHECK(raw->body == "m");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "errors of the transport come through as they are") {
    for (const auto code : {errc::timeout, errc::connection_refused, errc::connection_lost, errc::truncated,
                            errc::too_large, errc::tls_failed, errc::protocol_error}) {
        net->expect(get_target).fail(code, "why");
        client c = connect();
        const auto outcome = await(get_a(c));
        REQUIRE(!outcome.has_value());
        CHECK(outcome.error() == code);
        CHECK(outcome.error().message().starts_with("why"));
    }
    net->expect(std::string("PUT ") + widgets_path + "/a").fail(errc::unknown_outcome);
    client c = connect();
    CHECK(await(c.update(widgets(), make_widget("default", "a"), {})).error() == errc::unknown_outcome);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "stop ends a call wherever it waits") {
    std::stop_source source;
    get_options options;
    options.stop(source.get_token());
    client c = connect();
    const auto stopped_during = [&](auto&& arrange) {
        arrange();
        std::optional<result<any_object>> out;
        start(context, keep_outcome(get_a(c, options), out));
        manual_environment::run_ready(context);
        CHECK(!out.has_value());
        source.request_stop();
        manual_environment::run_ready(context);
        REQUIRE(out.has_value());
        CHECK(out->error() == errc::stopped);
        CHECK(env.pending_timers() == 0);
        CHECK(net->verify());
        source = std::stop_source();
        options.stop(source.get_token());
    };
    stopped_during([&] { net->expect(get_target).hang(); });
    stopped_during([&] { net->expect(get_target).reply(429, too_many).header("Retry-After", "5"); });
    stopped_during([&] { net->expect(get_target).stream({"{"}, stream_end::open); });
    // Already stopped: nothing is sent.
    const auto sent = net->sent().size();
    source.request_stop();
    CHECK(await(get_a(c, options)).error() == errc::stopped);
    CHECK(net->sent().size() == sent);
}

TEST_CASE_FIXTURE(client_fixture, "the deadline bounds a silent server") {
    net->expect(get_target).hang();
    client c = connect();
    const auto before = env.now();
    CHECK(await(get_a(c)).error() == errc::timeout);
    CHECK(env.now() - before == std::chrono::seconds(30));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a client may die while its call is in flight") {
    net->expect(get_target).stream({}, stream_end::open);
    std::optional<result<any_object>> out;
    {
        client c = connect();
        start(context, keep_outcome(get_a(c), out));
    }
    manual_environment::run_ready(context);
    CHECK(!out.has_value());
    env.advance(std::chrono::seconds(31), context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::timeout);
}

TEST_CASE_FIXTURE(client_fixture, "connect refuses to send credentials in clear") {
    config.server(http::endpoint("http", "api.test", 80));
    CHECK(client::connect(env, context.get_executor(), config, net->factory()).has_value());
    config.token(secret_string("CANARY"));
    const auto refused = client::connect(env, context.get_executor(), config, net->factory());
    REQUIRE(!refused.has_value());
    CHECK(refused.error() == errc::invalid_config);
    CHECK(refused.error().message().find("CANARY") == std::string::npos);
    config.server(http::endpoint("http", "127.0.0.1", 80));
    CHECK(client::connect(env, context.get_executor(), config, net->factory()).has_value());
}

TEST_CASE_FIXTURE(client_fixture, "no credential in any message or log line") {
    env.files["/token"] = "CANARY";
    config.token_file("/token");
    config.tls(http::tls_options().client_certificate("", secret_string("CANARY")));
    net->expect(get_target).reply(401, unauthorized);
    net->expect(get_target).reply(401, unauthorized);
    net->expect(get_target).reply(403, "{}");
    net->expect(get_target).reply(200, "<html>");
    net->expect(get_target).reply(200, "{");
    net->expect(get_target).fail(errc::connection_lost);
    net->expect(get_target).reply(302, "").header("Location", "https://x/?token=CANARY");
    net->expect(std::string("GET ") + widgets_path).reply(200, R"({"metadata":{},"items":[{"metadata":{"name":1}}]})");
    client c = connect();
    for (int i = 0; i < 6; ++i) {
        const auto outcome = await(get_a(c));
        REQUIRE(!outcome.has_value());
        CHECK(outcome.error().what().find("CANARY") == std::string::npos);
    }
    list_options options;
    options.in_namespace("default");
    const auto list = await(c.list_page(widgets(), options));
    REQUIRE(list.has_value());
    REQUIRE(list->invalid.size() == 1);
    logged.push_back(list->invalid[0].why.what());
    for (const auto& line : logged) CHECK(line.find("CANARY") == std::string::npos);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a transport that can't be made") {
    const http::transport_factory broken = [](executor, const http::endpoint&, const http::tls_options&) {
        return result<std::shared_ptr<http::transport>>(error(errc::invalid_config, "CA: not PEM"));
    };
    const auto made = client::connect(env, context.get_executor(), config, broken);
    REQUIRE(!made.has_value());
    CHECK(made.error().message() == "https://api.test:6443: CA: not PEM");
    client c = connect();
    CHECK(net->server().host == "api.test");
    c.close();
    CHECK(net->closed());
}
