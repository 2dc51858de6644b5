#include <kcontrol/client/list_meter.hpp>
#include <kcontrol/model/shard_selector.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string page(std::string_view version, std::string_view token, std::initializer_list<std::string> items) {
    std::string out = R"({"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":")" +
                      std::string(version) + R"(","continue":")" + std::string(token) + R"("},"items":[)";
    for (const auto& item : items) out += (out.back() == '[' ? "" : ",") + item;
    return out + "]}";
}

const std::string all = "GET /apis/example.com/v1/widgets";

std::string names(const any_list& list) {
    std::string out;
    for (const auto& item : list.items) out += item.meta().name;
    return out;
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "a whole list") {
    net->expect(all).reply(200, page("9", "", {widget_json("a"), widget_json("b")}));
    client c = connect();
    const auto list = await(c.list_page(widgets(), {}));
    REQUIRE(list.has_value());
    CHECK(names(*list) == "ab");
    CHECK(list->resource_version == "9");
    CHECK(list->continue_token.empty());
    CHECK(list->invalid.empty());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "options of a list") {
    net->expect(std::string("GET ") + widgets_path +
                "?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%3Dx&limit=5&resourceVersion=0")
        .reply(200, page("1", "", {}));
    list_options options;
    options.in_namespace("default").label_selector("a in (b,c)").field_selector("metadata.name=x").limit(5);
    options.resource_version("0");
    client c = connect();
    CHECK(await(c.list_page(widgets(), options)).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a shard selector is sent, and of a server that ignores it the rest is dropped") {
    const auto in = [](std::string_view ns, std::string_view name) {
        return R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":")" + std::string(ns) + R"("}})";
    };
    // The hash of "db" is in the first quarter, that of "default" in the last.
    const std::string part = shard_selector::part(shard_selector::by::namespace_, 0, 2).value().to_string();
    const std::string sent = all +
                             "?shardSelector=shardRange%28object.metadata.namespace%2C%20%270x0000000000000000%27%2C%20"
                             "%270x8000000000000000%27%29";
    net->expect(sent).reply(200, R"({"kind":"WidgetList","metadata":{"resourceVersion":"9","continue":"t",)"
                                 R"("remainingItemCount":2},"items":[)" +
                                     in("db", "a") + "," + in("default", "b") +
                                     R"(,{"metadata":{"name":"c",)"
                                     R"("namespace":"default"},)"
                                     R"("spec":{"size":"bad"}}]})");
    net->expect(sent + "&continue=t").reply(200, page("9", "", {in("default", "d"), in("db", "e")}));
    client c = connect();
    const auto list = await(c.list_page(widgets(), list_options().shard_selector(part)));
    REQUIRE(list.has_value());
    CHECK(names(*list) == "ae");
    CHECK(list->invalid.empty());
    CHECK_FALSE(list->remaining.has_value());
    CHECK(net->verify());
    // What no server knows is not sent.
    net->expect(all).reply(200, page("9", "", {in("db", "a"), in("default", "b")}));
    const auto mixed = shard_selector::part(shard_selector::by::mixed_namespace, 0, 2).value();
    const auto here = await(c.list_page(widgets(), list_options().shard_selector(mixed.to_string())));
    REQUIRE(here.has_value());
    CHECK(names(*here) == (mixed.selects_value("db") ? std::string("a") : "") +
                              (mixed.selects_value("default") ? std::string("b") : ""));
    CHECK(net->verify());
    const auto refused = await(c.list_page(widgets(), list_options().shard_selector("uid")));
    CHECK(refused.error() == errc::invalid_argument);
    const auto watch = await(c.watch(widgets(), watch_options().shard_selector("uid")));
    CHECK(watch.error() == errc::invalid_argument);
    // A server that ignores the selector would delete everything.
    const auto deleted = await(c.delete_collection(widgets(), list_options().shard_selector(part), {}));
    CHECK(deleted.error() == errc::invalid_argument);
    CHECK(deleted.error().message().find("would delete everything") != std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "one page, and the next: the token replaces the version") {
    net->expect(all + "?limit=1&resourceVersion=0").reply(200, page("9", "T%2F1", {widget_json("a")}));
    net->expect(all + "?limit=1&continue=T%252F1").reply(200, page("9", "", {widget_json("b")}));
    client c = connect();
    auto first = await(c.list_page(widgets(), list_options().limit(1).resource_version("0")));
    REQUIRE(first.has_value());
    CHECK(first->continue_token == "T%2F1");
    auto second = await(
        c.list_page(widgets(), list_options().limit(1).resource_version("0").continue_token(first->continue_token)));
    REQUIRE(second.has_value());
    CHECK(second->continue_token.empty());
    CHECK(names(*second) == "b");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "how many objects follow a page") {
    const auto with = [](std::string_view remaining) {
        return R"({"kind":"WidgetList","metadata":{"continue":"t","remainingItemCount":)" + std::string(remaining) +
               R"(,"resourceVersion":"9"},"items":[]})";
    };
    client c = connect();
    const auto remaining = [&](std::string_view text) {
        net->expect(all + "?limit=1").reply(200, with(text));
        const auto list = await(c.list_page(widgets(), list_options().limit(1)));
        REQUIRE(list.has_value());
        CHECK(list->resource_version == "9");
        CHECK(list->continue_token == "t");
        return list->remaining;
    };
    CHECK(remaining("41") == 41);
    for (const char* text : {"null", "-1", "1.5", "\"7\"", "99999999999999999999"}) CHECK(!remaining(text));
    net->expect(all + "?limit=1").reply(200, with("12,"));
    CHECK(await(c.list_page(widgets(), list_options().limit(1))).error() == errc::decode_failed);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "without a limit every page is fetched") {
    net->expect(all).reply(200, page("9", "t1", {widget_json("a")}));
    net->expect(all + "?continue=t1").reply(200, page("10", "t2", {widget_json("b")}));
    net->expect(all + "?continue=t2").reply(200, page("11", "", {widget_json("c")}));
    client c = connect();
    const auto list = await(c.list_page(widgets(), {}));
    REQUIRE(list.has_value());
    CHECK(names(*list) == "abc");
    CHECK(list->resource_version == "9");
    CHECK(list->continue_token.empty());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a list that expires between pages") {
    net->expect(all).reply(200, page("9", "t1", {widget_json("a")}));
    net->expect(all + "?continue=t1").reply(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})");
    client c = connect();
    CHECK(await(c.list_page(widgets(), {})).error() == condition::expired);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the deadline is for all pages together") {
    net->expect(all).reply(200, page("9", "t1", {}));
    net->expect(all + "?continue=t1").reply(429, "{}").header("Retry-After", "20");
    net->expect(all + "?continue=t1").reply(200, page("9", "t2", {}));
    net->expect(all + "?continue=t2").hang();
    client c = connect();
    const auto before = env.now();
    CHECK(await(c.list_page(widgets(), {})).error() == errc::timeout);
    CHECK(env.now() - before == std::chrono::seconds(60));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a server that repeats itself") {
    net->expect(all).reply(200, page("9", "t1", {}));
    net->expect(all + "?continue=t1").reply(200, page("9", "t1", {}));
    client c = connect();
    CHECK(await(c.list_page(widgets(), {})).error() == errc::protocol_error);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "continue tokens that come again, and pages without end") {
    net->expect(all).reply(200, page("9", "t1", {}));
    net->expect(all + "?continue=t1").reply(200, page("9", "t2", {}));
    net->expect(all + "?continue=t2").reply(200, page("9", "t1", {}));
    client c = connect();
    CHECK(await(c.list_page(widgets(), {})).error() == errc::protocol_error);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "max_body of a list is for all its pages") {
    net->expect(all).reply(200, page("9", "t1", {widget_json("a")}));
    net->expect(all + "?continue=t1").reply(200, page("9", "t2", {widget_json("b")}));
    client c = connect();
    list_options options;
    options.max_body(page("9", "t1", {widget_json("a")}).size() + 20);
    const auto list = await(c.list_page(widgets(), options));
    REQUIRE_FALSE(list.has_value());
    CHECK(list.error() == errc::limit_exceeded);
    CHECK_MESSAGE(list.error().message().find("list_options::max_body: ") == 0, list.error().message());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "max_items of a list is for all its pages, and for one that has no end") {
    const auto bounded = [](std::uint64_t n) {
        list_options out;
        return out.max_items(n);
    };
    net->expect(all).reply(200, page("9", "t1", {widget_json("a")}));
    net->expect(all + "?continue=t1").reply(200, page("9", "t2", {widget_json("b"), widget_json("c")}));
    client c = connect();
    const auto list = await(c.list_page(widgets(), bounded(2)));
    REQUIRE_FALSE(list.has_value());
    CHECK(list.error() == errc::limit_exceeded);
    CHECK_MESSAGE(list.error().message().find("max_items (2)") != std::string::npos, list.error().message());
    // As many as are allowed.
    net->expect(all).reply(200, page("9", "t1", {widget_json("a")}));
    net->expect(all + "?continue=t1").reply(200, page("9", "", {widget_json("b")}));
    CHECK(await(c.list_page(widgets(), bounded(2))).has_value());
    // A page without end is left before it is there, also if its objects do not decode.
    for (const char* size : {"1", "true"}) {
        CAPTURE(size);
        auto body = net->expect(all).stream({}, stream_end::open).body();
        std::optional<result<any_list>> out;
        start(context, keep_outcome(c.list_page(widgets(), bounded(10'000)), out));
        std::string many;
        for (int i = 0; i < 5000; ++i) many += widget_json("w", "1", size) + ",";
        body->push(R"({"metadata":{"resourceVersion":"9"},"items":[)");
        for (int i = 0; i < 4 && !out.has_value(); ++i) {
            body->push(many);
            env.advance(std::chrono::seconds(1), context);
        }
        REQUIRE(out.has_value());
        REQUIRE_FALSE(out->has_value());
        CHECK_MESSAGE(out->error().message().find("max_items (10000)") != std::string::npos, out->error().message());
    }
    CHECK(net->verify());
    // Each list has a bound.
    const list_options defaults;
    CHECK(defaults.max_items() == list_bounds().max_items());
    CHECK(list_bounds().max_items() == 2'000'000);
    CHECK(list_bounds().max_bytes() == std::uint64_t{8} << 30);
}

TEST_CASE("list_meter: each bound is named") {
    const auto over = [](list_bounds bounds, any_list page, duration after = {}) {
        list_meter meter(bounds, time_point());
        page.continue_token = "next";
        const auto error = meter.add(page, time_point() + after);
        if (!error) return std::string();
        CHECK(*error == errc::limit_exceeded);
        return error->message();
    };
    any_list page;
    page.items.resize(3);
    page.bytes = 100;
    CHECK(over({}, page).empty());
    CHECK(over(list_bounds().max_pages(1), page).find("max_pages (1)") != std::string::npos);
    CHECK(over(list_bounds().max_items(2), page).find("max_items (2)") != std::string::npos);
    CHECK(over(list_bounds().max_bytes(99), page).find("max_bytes (99)") != std::string::npos);
    CHECK(over(list_bounds().max_time(std::chrono::seconds(5)), page, std::chrono::seconds(6)).find("max_time (5 s)") !=
          std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "a page that drips is too much for its time, and says how far it came") {
    auto body = net->expect(all).stream({}, stream_end::open).body();
    client c = connect();
    std::optional<result<any_list>> out;
    start(context, keep_outcome(c.list_page(widgets(), {}), out));
    for (int second = 0; second < 60; ++second) {
        REQUIRE(!out.has_value());
        body->push(second == 0 ? "{" : " ");
        env.advance(std::chrono::seconds(1), context);
    }
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::too_large);
    CHECK(out->error().message().find("60 bytes") != std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "a bad object is told of, the others are there") {
    net->expect(all).reply(200, page("9", "",
                                     {widget_json("a"), widget_json("bad", "2", "\"x\""), "7", R"({"metadata":{}})",
                                      R"({"metadata":{"name":7}})", widget_json("b")}));
    client c = connect();
    const auto list = await(c.list_page(widgets(), {}));
    REQUIRE(list.has_value());
    CHECK(names(*list) == "ab");
    REQUIRE(list->invalid.size() == 4);
    CHECK(list->invalid[0].describe() == "default/bad");
    CHECK(list->invalid[0].metadata.resource_version == "2");
    CHECK(list->invalid[0].why.message() == "spec.size: expected an integer");
    CHECK(list->invalid[1].describe() == "(no name)");
}

TEST_CASE_FIXTURE(client_fixture, "what is not a list") {
    client c = connect();
    const auto outcome = [&](std::string body) {
        net->expect(all).reply(200, std::move(body));
        return await(c.list_page(widgets(), {}));
    };
    CHECK(outcome(R"({"metadata":{"resourceVersion":"1"},"items":null})").has_value());
    CHECK(outcome(R"({"items":[]})").error() == errc::decode_failed);
    CHECK(outcome(R"({"metadata":{},"items":{}})").error() == errc::decode_failed);
    CHECK(outcome(R"({"metadata":{},"items":[)").error() == errc::decode_failed);
    CHECK(outcome("<html>").error() == errc::not_an_api_server);
    CHECK(await(c.list_page(nodes(), list_options().in_namespace("x"))).error() == errc::invalid_argument);
    CHECK(net->verify());
}
