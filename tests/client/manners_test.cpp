// client::with(): its name, its pace, and what the program hears of requests. docs/requests.md has the rules.
#include <kcontrol/client/detail/manners.hpp>

#include "fixture.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

const std::string get_target = std::string("GET ") + widgets_path + "/a";

awaitable<result<any_object>> get_a(client& c, get_options options = {}) {
    return c.get(widgets(), {"default", "a"}, std::move(options));
}

std::vector<std::string> warnings(std::initializer_list<const char*> values) {
    http::fields headers;
    for (const char* value : values) headers.add("warning", value);
    return detail::warnings_of(headers);
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the header Warning, as servers write it and as nobody should") {
    CHECK(warnings({}).empty());
    CHECK(warnings({R"(299 - "policy/v1beta1 is deprecated")"}) == texts{"policy/v1beta1 is deprecated"});
    CHECK(warnings({R"(299 - "one")", R"(299 host:80 "two")"}) == texts{"one", "two"});
    CHECK(warnings({R"(299 - "one, \"and\" \\", 299 - "two" "Wed, 21 Oct 2015 07:28:00 GMT",299 - "three")"}) ==
          texts{R"(one, "and" \)", "two", "three"});
    CHECK(warnings({R"(199 - "other", 299 - "this")"}) == texts{"this"});
    CHECK(warnings({"299 - \"a\x1b[31m\nb\""}) == texts{"a\\x1b[31m\\x0ab"});
    for (const char* broken : {"", "299", "299 ", "299 -", "299 - ", "299 - x", "299 - \"x", "29 - \"x\"", "299 \"x\"",
                               "299  \"x\"", "2990 - \"x\"", "299 - \"x\" y", "299 - \"x\" \"y", "x99 - \"x\""}) {
        CAPTURE(broken);
        CHECK(warnings({broken}).empty());
    }
    // What follows something broken can't be found, and what came before it counts.
    CHECK(warnings({R"(299 - "one", 299 two, 299 - "three")"}) == texts{"one"});
    CHECK(warnings({("299 - \"" + std::string(5000, 'x') + "\"").c_str()}).front().size() == 2048);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "299 - \"x\",";
    CHECK(warnings({many.c_str()}).size() == 32);
}

TEST_CASE_FIXTURE(client_fixture, "a server's warning is logged once, and again by a client that does not know it") {
    for (int i = 0; i < 4; ++i) {
        net->expect(get_target)
            .reply(i == 1 ? 404 : 200, i == 1 ? "{}" : widget_json("a"))
            .header("Warning", R"(299 - "widgets are deprecated, use gadgets")")
            .header("Warning", i == 2 ? R"(299 - "soon")" : R"(299 - "widgets are deprecated, use gadgets")");
    }
    client c = connect();
    client copy = c.guarded([]() -> result<duration> { return 10s; });
    CHECK(await(get_a(c)).has_value());
    CHECK_FALSE(await(get_a(copy)).has_value());
    CHECK(await(get_a(c)).has_value());
    const std::string line =
        std::string("the server warns warning=widgets are deprecated, use gadgets method=GET path=") + widgets_path +
        "/a";
    CHECK(std::count(logged.begin(), logged.end(), line) == 1);
    CHECK(std::count_if(logged.begin(), logged.end(),
                        [](const std::string& l) { return l.starts_with("the server warns"); }) == 2);
    client other = c.with(client_options());
    CHECK(await(get_a(other)).has_value());
    CHECK(std::count(logged.begin(), logged.end(), line) == 2);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a server that warns of ever new things does not fill the log") {
    client c = connect();
    for (int i = 0; i < 2000; ++i) {
        net->expect(get_target).reply(200, widget_json("a")).header("Warning", "299 - \"" + std::to_string(i) + "\"");
        CHECK(await(get_a(c)).has_value());
    }
    CHECK(logged.size() == 100);
    env.advance(10s, context);  // and then one per second
    for (int i = 2000; i < 2050; ++i) {
        net->expect(get_target).reply(200, widget_json("a")).header("Warning", "299 - \"" + std::to_string(i) + "\"");
        CHECK(await(get_a(c)).has_value());
    }
    CHECK(logged.size() == 110);
}

TEST_CASE_FIXTURE(client_fixture,
                  "a handler is told each warning, and nothing is logged; what it throws ends nothing") {
    std::vector<std::string> heard;
    client c = connect().with(client_options().on_warning([&](const server_warning& w) {
        heard.push_back(w.method + " " + w.path + ": " + w.text);
        if (heard.size() == 2) throw std::runtime_error("full");
    }));
    for (int i = 0; i < 3; ++i) {
        net->expect(get_target + "?resourceVersion=1").reply(200, widget_json("a")).header("Warning", R"(299 - "old")");
        CHECK(await(get_a(c, get_options().resource_version("1"))).has_value());
    }
    CHECK(heard == texts(3, get_target + ": old"));
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].find("on_warning") != std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "the server is told who asks") {
    net->expect(get_target).reply(200, widget_json("a"));
    net->expect(get_target).with_header("User-Agent", "website-operator/1.4").reply(200, widget_json("a"));
    client c = connect();
    CHECK(await(get_a(c)).has_value());
    CHECK(net->sent()[0].headers.get("User-Agent").starts_with("kcontrol/"));
    client named = c.with(client_options().user_agent("website-operator/1.4"));
    CHECK(await(get_a(named)).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a client's own limit: a burst, then a steady rate, in turn; watches pass") {
    client c = connect().with(client_options().rate_limit(2, 3));
    const auto before = env.now();
    for (int i = 0; i < 7; ++i) {
        net->expect(get_target).reply(200, widget_json("a"));
        CHECK(await(get_a(c)).has_value());
        CHECK(env.now() - before == std::max(i - 2, 0) * 500ms);
    }
    net->expect("GET /apis/example.com/v1/widgets?watch=true*").stream({});
    CHECK(await(c.watch(widgets(), watch_options())).has_value());
    CHECK(env.now() - before == 2s);
    const auto& turns = c.requests().turns.at("GET");
    CHECK(turns.count() == 7);
    CHECK(turns.sum() == doctest::Approx(2.0));
    // A retry waits for its turn as well.
    net->expect(get_target).reply(429, "{}").header("Retry-After", "0");
    net->expect(get_target).reply(200, widget_json("a"));
    CHECK(await(get_a(c)).has_value());
    CHECK(env.now() - before == 3s);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "who would get his turn after his deadline is told so at once, and takes none") {
    client c = connect().with(client_options().rate_limit(0.01, 1));
    net->expect(get_target).reply(200, widget_json("a"));
    CHECK(await(get_a(c)).has_value());
    const auto before = env.now();
    for (int i = 0; i < 3; ++i) {
        const auto late = await(get_a(c));
        REQUIRE_FALSE(late.has_value());
        CHECK(late.error() == errc::timeout);
        CHECK(late.error().message().find("client_options::rate_limit") != std::string::npos);
        CHECK(env.now() == before);
    }
    env.advance(100s, context);
    net->expect(get_target).reply(200, widget_json("a"));
    CHECK(await(get_a(c)).has_value());
    CHECK(env.now() - before == 100s);
    CHECK(net->verify());
    // Whoever waits can be stopped.
    client slow = connect().with(client_options().rate_limit(0.1, 1));
    net->expect(get_target).reply(200, widget_json("a"));
    CHECK(await(get_a(slow)).has_value());
    std::stop_source source;
    get_options options;
    options.stop(source.get_token());
    std::optional<result<any_object>> out;
    start(context, keep_outcome(get_a(slow, options), out));
    manual_environment::run_ready(context);
    CHECK(!out.has_value());
    source.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::stopped);
}

TEST_CASE_FIXTURE(client_fixture, "hooks see each try, may change it or refuse it, and hear what became of it") {
    std::vector<std::string> heard;
    int tries = 0;
    bool refuses = false, throws = false;
    client_options options;
    options.on_request([&](http::request& req) -> result<void> {
        if (refuses) return error(errc::invalid_argument, "not on a Friday");
        if (throws) throw std::runtime_error("oops");
        req.headers.set("X-Try", std::to_string(++tries));
        return {};
    });
    options.on_response([&](const http::request& req, const request_outcome& outcome) {
        heard.push_back(req.method + " " + std::to_string(outcome.status) + outcome.failure);
        if (heard.size() == 1) throw std::runtime_error("full");
    });
    client c = connect().with(options);
    net->expect(get_target).with_header("X-Try", "1").reply(429, "{}").header("Retry-After", "1");
    net->expect(get_target).with_header("X-Try", "2").reply(200, widget_json("a"));
    CHECK(await(get_a(c)).has_value());
    net->expect(get_target).with_header("X-Try", "3").fail(errc::connection_refused, "nobody there");
    CHECK_FALSE(await(get_a(c)).has_value());
    CHECK(heard.size() == 3);
    CHECK(heard[0] == "GET 429");
    CHECK(heard[1] == "GET 200");
    CHECK(heard[2].find("nobody there") != std::string::npos);
    refuses = true;
    CHECK(await(get_a(c)).error().message() == "not on a Friday");
    refuses = false;
    throws = true;
    const auto thrown = await(get_a(c));
    CHECK(thrown.error() == errc::callback_failed);
    CHECK(thrown.error().message().find("oops") != std::string::npos);
    CHECK(heard.size() == 3);  // neither was sent
    CHECK(net->sent().size() == 3);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "how the server sorts requests is told at debug") {
    net->expect(get_target)
        .reply(200, widget_json("a"))
        .header("X-Kubernetes-PF-FlowSchema-UID", "f1")
        .header("X-Kubernetes-PF-PriorityLevel-UID", "p\x1b");
    client c = connect();
    CHECK(await(get_a(c)).has_value());
    REQUIRE(logged.size() == 1);
    CHECK(logged[0] == std::string("the server has sorted a request method=GET path=") + widgets_path +
                           "/a code=200 flow_schema=f1 priority_level=p\\x1b");
    CHECK(net->verify());
}
