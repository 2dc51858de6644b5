// Answers that are compressed, as they were allowed to be: gets, lists, watches, and what is refused.
#include "support/gzip.hpp"

#include "fixture.hpp"

#include <string>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string get_target = std::string("GET ") + widgets_path + "/a";
const std::string list_target = "GET /apis/example.com/v1/widgets";

awaitable<result<any_object>> get_a(client& c, get_options options = {}) {
    return c.get(widgets(), {"default", "a"}, std::move(options));
}

std::string event(std::string_view type, std::string_view object) {
    return "{\"type\":\"" + std::string(type) + "\",\"object\":" + std::string(object) + "}\n";
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "a compressed answer is read, for it was asked for") {
    net->expect(get_target)
        .with_header("Accept-Encoding", "gzip")
        .reply(200, gzip(widget_json("a", "7")))
        .header("Content-Encoding", "gzip");
    net->expect(get_target).reply(200, widget_json("a", "8"));
    net->expect(get_target)
        .reply(403, gzip(R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not you"})"))
        .header("Content-Encoding", "gzip");
    net->expect(get_target).reply(200, "").header("Content-Encoding", "gzip");
    client c = connect();
    CHECK(await(get_a(c)).value().meta().resource_version == "7");
    CHECK(await(get_a(c)).value().meta().resource_version == "8");
    CHECK(await(get_a(c)).error().message() == "not you");
    CHECK(await(get_a(c)).error().message().find("an empty body") != std::string::npos);
    // What is counted is what was read.
    CHECK(c.requests().response_sizes.at("GET").sum() > 2 * static_cast<double>(widget_json("a", "7").size()));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "with disable-compression nothing is asked for, and nothing compressed is taken") {
    config.disable_compression(true);
    net->expect(get_target).reply(200, gzip(widget_json("a"))).header("Content-Encoding", "gzip");
    client c = connect();
    const auto got = await(get_a(c));
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().message().find("Content-Encoding gzip, which nobody asked for") != std::string::npos);
    CHECK_FALSE(net->sent()[0].headers.contains("Accept-Encoding"));
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "who asks for a coding himself gets what comes") {
    net->expect("GET /x")
        .with_header("Accept-Encoding", "gzip, br")
        .reply(200, gzip("x"))
        .header("Content-Encoding", "gzip");
    client c = connect();
    http::request req("GET", "/x");
    req.headers.set("Accept-Encoding", "gzip, br");
    const auto got = await(c.raw(req, {}));
    CHECK(got.value().body == gzip("x"));
    CHECK(got.value().headers.get("Content-Encoding") == "gzip");
}

TEST_CASE_FIXTURE(client_fixture,
                  "a compressed list is decoded as it arrives; damage, an end in the middle and a bomb are errors") {
    std::string items;
    for (int i = 0; i < 500; ++i) items += (i == 0 ? "" : ",") + widget_json("w" + std::to_string(i));
    const std::string text = R"({"kind":"WidgetList","metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
    const std::string packed = gzip(text);
    client c = connect();
    const auto list = [&] { return await(c.list_page(widgets(), list_options())); };
    net->expect(list_target)
        .with_header("Accept-Encoding", "gzip")
        .stream({packed.substr(0, 1), packed.substr(1, 100), packed.substr(101)})
        .header("Content-Encoding", "gzip");
    const auto all = list();
    REQUIRE(all.has_value());
    CHECK(all->items.size() == 500);
    CHECK(all->resource_version == "9");
    CHECK(all->bytes == text.size());

    net->expect(list_target).stream({packed.substr(0, packed.size() - 9)}).header("Content-Encoding", "gzip");
    CHECK(list().error() == errc::truncated);
    std::string bad = packed;
    bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
    net->expect(list_target).stream({bad}).header("Content-Encoding", "gzip");
    CHECK(list().error() == errc::protocol_error);
    net->expect(list_target).stream({text}).header("Content-Encoding", "gzip");
    CHECK(list().error() == errc::protocol_error);
    const std::string bomb = gzip(text.substr(0, text.size() - 2) + std::string(std::size_t{40} << 20, ' ') + "]}");
    net->expect(list_target).stream({bomb}).header("Content-Encoding", "gzip");
    CHECK(list().error() == errc::too_large);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the budget of a body counts what it is decoded") {
    net->expect(get_target)
        .reply(200, gzip(widget_json("a") + std::string(5000, ' ')))
        .header("Content-Encoding", "gzip");
    client c = connect();
    get_options options;
    options.max_body(1000);
    const auto got = await(get_a(c, options));
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error() == errc::too_large);
    CHECK(got.error().message().find("raise max_body") != std::string::npos);
}

TEST_CASE_FIXTURE(client_fixture, "a watch of several members: each event is there when its member is") {
    auto& step =
        net->expect(list_target + "?watch=true*").stream({}, stream_end::open).header("Content-Encoding", "gzip");
    const auto body = step.body();
    body->push(gzip(event("ADDED", widget_json("a", "5"))));
    client c = connect();
    const auto stream = await(c.watch(widgets(), watch_options()));
    REQUIRE(stream.has_value());
    CHECK(await((*stream)->next({})).value().resource_version == "5");
    const std::string next = gzip(event("MODIFIED", widget_json("a", "6")) + event("DELETED", widget_json("a", "7")));
    body->push(next.substr(0, 20));
    body->push(next.substr(20));
    CHECK(await((*stream)->next({})).value().resource_version == "6");
    CHECK(await((*stream)->next({})).value().resource_version == "7");
    body->push(gzip("{\"type\"").substr(0, 12));
    body->end(stream_end::clean);
    CHECK(await((*stream)->next({})).error() == errc::truncated);
    CHECK(net->verify());
}
