#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/codec/codec.hpp>

#include "config_map.hpp"
#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string maps = "GET /api/v1/configmaps";
constexpr const char* expired = R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})";

std::string page(std::string_view version, std::string_view token, std::initializer_list<const char*> names) {
    std::string out = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                      std::string(version) + R"(","continue":")" + std::string(token) +
                      R"(","remainingItemCount":3},"items":[)";
    for (const char* name : names) {
        out += std::string(out.back() == '[' ? "" : ",") + R"({"metadata":{"name":")" + name + R"("}})";
    }
    return out + "]}";
}

template <class Page>
std::string names_of(const Page& of) {
    std::string out;
    for (const auto& item : of.items) out += std::string(item->metadata.name);
    return out;
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "list_page with a type") {
    client c = connect();
    net->expect(maps + "?limit=2").reply(200, page("9", "t", {"a", "b"}));
    const auto got = await(c.list_page<config_map>(list_options().limit(2)));
    REQUIRE(got.has_value());
    CHECK(names_of(*got) == "ab");
    CHECK(got->resource_version == "9");
    CHECK(got->continue_token == "t");
    CHECK(got->remaining == 3);
    net->expect(maps).reply(200, R"({"metadata":{},"items":[{"metadata":{"name":"x"},"data":[]},)"
                                 R"({"metadata":{"name":"y"}}]})");
    const auto mixed = await(c.list_page<config_map>());
    REQUIRE(mixed.has_value());
    CHECK(names_of(*mixed) == "y");
    REQUIRE(mixed->invalid.size() == 1);
    CHECK(mixed->invalid[0].metadata.name == "x");
    CHECK(!mixed->remaining);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "object_pager: page after page, 500 objects each") {
    net->expect(maps + "?limit=500&resourceVersion=0").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=500&continue=t1").reply(200, page("9", "t2", {}));
    net->expect(maps + "?limit=500&continue=t2").reply(200, page("9", "", {"b", "c"}));
    object_pager<config_map> pages(connect(), list_options().resource_version("0"));
    std::string seen;
    for (;;) {
        const auto next = await(pages.next());
        REQUIRE(next.has_value());
        if (!*next) break;
        seen += names_of(**next) + ".";
        CHECK(!pages.restarted());
    }
    CHECK(seen == "a..bc.");
    CHECK(!*await(pages.next()));  // and stays at its end
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "object_pager: pages that expire are listed anew, without pages") {
    const auto which = list_options().limit(1);
    net->expect(maps + "?limit=1").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=1&continue=t1").reply(410, expired);
    net->expect(maps).reply(200, page("12", "", {"b", "c"}));
    object_pager<config_map> pages(connect(), which);
    CHECK(names_of(**await(pages.next())) == "a");
    const auto anew = await(pages.next());
    REQUIRE(anew.has_value());
    CHECK(pages.restarted());
    CHECK(names_of(**anew) == "bc");
    CHECK((*anew)->resource_version == "12");
    CHECK(!*await(pages.next()));
    CHECK(!pages.restarted());

    net->expect(maps + "?limit=1").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=1&continue=t1").reply(410, expired);
    net->expect(maps).reply(200, page("12", "", {"b", "c"}));
    object_pager<config_map> whole(connect(), which);
    const auto all = await(whole.all());
    REQUIRE(all.has_value());
    CHECK(names_of(*all) == "bc");
    CHECK(all->resource_version == "12");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "object_pager: all pages together, with the version of the first") {
    net->expect(maps + "?limit=500").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=500&continue=t1").reply(200, page("11", "", {"b"}));
    object_pager<config_map> pages(connect());
    const auto all = await(pages.all());
    REQUIRE(all.has_value());
    CHECK(names_of(*all) == "ab");
    CHECK(all->resource_version == "9");
    CHECK(all->continue_token.empty());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "object_pager: what it does not mend") {
    // Whoever wants one state or none.
    net->expect(maps + "?limit=500").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=500&continue=t1").reply(410, expired);
    object_pager<config_map> strict(connect(), {}, expired_pages::fail);
    CHECK(await(strict.all()).error() == condition::expired);
    // The first page is of no older state: its 410 stands.
    net->expect(maps + "?limit=500&resourceVersion=5").reply(410, expired);
    object_pager<config_map> first(connect(), list_options().resource_version("5"));
    CHECK(await(first.all()).error() == condition::expired);
    // A page that failed is asked for again.
    net->expect(maps + "?limit=500").reply(200, page("9", "t1", {"a"}));
    net->expect(maps + "?limit=500&continue=t1").fail(errc::connection_lost);
    net->expect(maps + "?limit=500&continue=t1").reply(200, page("9", "", {"b"}));
    object_pager<config_map> lost(connect());
    CHECK(await(lost.next()).has_value());
    CHECK(await(lost.next()).error() == errc::connection_lost);
    CHECK(names_of(**await(lost.next())) == "b");
    // A server that repeats itself has no end.
    net->expect(maps + "?limit=500").reply(200, page("9", "t1", {}));
    net->expect(maps + "?limit=500&continue=t1").reply(200, page("9", "t1", {}));
    object_pager<config_map> loop(connect());
    CHECK(await(loop.all()).error() == errc::protocol_error);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "object_pager: max_items of the options counts for all pages") {
    net->expect(maps + "?limit=500").reply(200, page("9", "t1", {"a", "b"}));
    net->expect(maps + "?limit=500&continue=t1").reply(200, page("9", "t2", {"c", "d"}));
    list_options which;
    which.max_items(3);
    object_pager<config_map> pages(connect(), which);
    const auto whole = await(pages.all());
    REQUIRE_FALSE(whole.has_value());
    CHECK(whole.error() == errc::limit_exceeded);
    CHECK_MESSAGE(whole.error().message().find("max_items (3)") != std::string::npos, whole.error().message());
    CHECK(net->verify());
}

// Fresh tokens and fresh objects: nothing but a bound ends such a list.
TEST_CASE_FIXTURE(client_fixture, "object_pager: pages without end end at a bound, which the error names") {
    struct row {
        list_bounds bounds;
        const char* says;
        int pages;
    };
    for (const auto& r :
         {row{list_bounds().max_items(4), "max_items (4)", 3}, row{list_bounds().max_bytes(300), "max_bytes (300)", 2},
          row{list_bounds().max_pages(2), "max_pages (2)", 2}}) {
        CAPTURE(r.says);
        net->expect(maps + "?limit=500").reply(200, page("9", "t1", {"a", "b"}));
        for (int i = 1; i < r.pages; ++i) {
            const std::string at = std::to_string(i), next = "t" + std::to_string(i + 1);
            const std::string one = "a" + at, other = "b" + at;
            net->expect(maps + "?limit=500&continue=t" + at).reply(200, page("9", next, {one.c_str(), other.c_str()}));
        }
        object_pager<config_map> pages(connect());
        const auto whole = await(pages.limits(r.bounds).all());
        REQUIRE_FALSE(whole.has_value());
        CHECK(whole.error() == errc::limit_exceeded);
        CHECK_MESSAGE(whole.error().message().find(r.says) != std::string::npos, whole.error().message());
        CHECK(net->verify());
    }
}
