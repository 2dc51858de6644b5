// The objects of a kind as their server prints them.
#include <kcontrol/client/object_table.hpp>
#include <kcontrol/model/shard_selector.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

std::string table_json(const std::string& rows, const std::string& more = "") {
    return R"({"kind":"Table","metadata":{"resourceVersion":"7")" + more +
           R"(},"columnDefinitions":[{"name":"Name","priority":0},{"name":"Age"},{"name":"Node","priority":1}],"rows":[)" +
           rows + "]}";
}

const std::string row_a = R"({"cells":["a","5m","n0"],"object":{"metadata":{"name":"a","namespace":"default"}}})";
const std::string row_b = R"({"cells":["two\nlines",3,null],"object":{"metadata":{"name":"b","namespace":"other"}}})";

/// A server with a next page, slowly, up to the last one; and what its answers may be.
class slow_pages final : public http::transport {
public:
    explicit slow_pages(environment& env) : env_(env) {}

    awaitable<result<http::opened_exchange>> open(http::request, http::exchange_options options) override {
        most = options.max_body();
        const std::string token = ++pages == last ? "" : ",\"continue\":\"" + std::to_string(pages) + "\"";
        (void)co_await sleep_for(env_, 50s, std::stop_token());
        co_return http::response(200, "application/json", table_json(row_a, token));
    }
    void close() override {}

    std::size_t pages = 0, last = 0, most = 0;

private:
    environment& env_;
};

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "a table page by page, whose cells are one line each") {
    client c = connect();
    net->expect(std::string("GET ") + widgets_path + "?labelSelector=x%3Dy&limit=500")
        .reply(200, table_json(row_a, R"(,"continue":"more")"));
    net->expect(std::string("GET ") + widgets_path + "?labelSelector=x%3Dy&limit=500&continue=more")
        .reply(200, table_json(row_b));
    const auto which = list_options().in_namespace("default").label_selector("x=y");
    const auto got = await(list_table(c, widgets(), which));
    REQUIRE_MESSAGE(got.has_value(), got.error().what());
    CHECK(net->sent().back().headers.get("Accept").find("as=Table") != std::string_view::npos);
    REQUIRE(got->columns.size() == 3);
    CHECK(got->columns[0].name == "Name");
    CHECK_FALSE(got->columns[1].wide);
    CHECK(got->columns[2].wide);
    REQUIRE(got->rows.size() == 2);
    CHECK(got->rows[0].key == namespaced_name("default", "a"));
    CHECK(got->rows[0].cells == std::vector<std::string>{"a", "5m", "n0"});
    CHECK(got->rows[1].key == namespaced_name("other", "b"));
    CHECK(got->rows[1].cells == std::vector<std::string>{"two...", "3", ""});
    CHECK(got->resource_version == "7");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a table of a part has no rows of the others, also of a server that sends all") {
    client c = connect();
    const std::string all = "GET /apis/example.com/v1/widgets?";
    const std::string sent = all + "shardSelector=shardRange%28object.metadata.";
    const auto row = [](std::string_view name, std::string_view ns, std::string_view uid) {
        return R"({"cells":["a","5m","n0"],"object":{"metadata":{"name":")" + std::string(name) + R"(","namespace":")" +
               std::string(ns) + R"(","uid":")" + std::string(uid) + R"("}}})";
    };
    const std::string rows = row("a", "db", "u0") + "," + row("b", "default", "u1") + "," + row("c", "db", "u2");
    const auto names_in = [&](const shard_selector& part) {
        const auto got = await(list_table(c, widgets(), list_options().shard_selector(part.to_string())));
        REQUIRE_MESSAGE(got.has_value(), got.error().what());
        std::string out;
        for (const auto& one : got->rows) out += one.key.name;
        return out;
    };
    // The hash of "db" is in the first quarter, that of "default" in the last.
    net->expect(sent + "namespace*").reply(200, table_json(rows));
    CHECK(names_in(shard_selector::part(shard_selector::by::namespace_, 0, 2).value()) == "ac");
    for (const auto what : {shard_selector::by::uid, shard_selector::by::mixed_namespace}) {
        std::string both;
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            const auto part = shard_selector::part(what, i, 2).value();
            net->expect(part.is_known_to_servers() ? sent + "uid*" : all + "limit=500").reply(200, table_json(rows));
            both += names_in(part);
        }
        std::sort(both.begin(), both.end());
        CHECK(both == "abc");
    }
    // The rows of the others count for the bounds.
    const auto one_of_three = shard_selector::part(shard_selector::by::namespace_, 1, 2).value().to_string();
    net->expect(sent + "namespace*").reply(200, table_json(rows));
    const auto beyond = await(list_table(c, widgets(), list_options().shard_selector(one_of_three).max_items(2)));
    CHECK(beyond.error() == errc::limit_exceeded);
    CHECK(net->verify());
    const auto refused = await(list_table(c, widgets(), list_options().shard_selector("uid")));
    CHECK(refused.error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(client_fixture, "one object's table, and answers that are none") {
    client c = connect();
    const std::string path = std::string("GET ") + widgets_path + "/a";
    net->expect(path).reply(200, table_json(row_a));
    const auto got = await(get_table(c, widgets(), {"default", "a"}, get_options()));
    REQUIRE(got.has_value());
    CHECK(got->rows.size() == 1);
    for (const std::string& text :
         {std::string("{}"), std::string("[]"), std::string("no json"), std::string(R"({"kind":"Table"})"),
          table_json(R"({"cells":["too few"]})"), table_json(R"({"cells":"none"})"), table_json("7")}) {
        net->expect(path).reply(200, text);
        CHECK(await(get_table(c, widgets(), {"default", "a"}, get_options())).error() == errc::decode_failed);
    }
    net->expect(path).reply(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"no a"})");
    CHECK(await(get_table(c, widgets(), {"default", "a"}, get_options())).error() == api_errc::not_found);
    CHECK(await(get_table(c, widgets(), {"default", "../x"}, get_options())).error() == errc::invalid_argument);
    const std::string again = table_json(row_a, R"(,"continue":"more")");
    net->expect(std::string("GET ") + widgets_path + "?limit=2").reply(200, again);
    net->expect(std::string("GET ") + widgets_path + "?limit=2&continue=more").reply(200, again);
    const auto which = list_options().in_namespace("default").limit(2);
    CHECK(await(list_table(c, widgets(), which)).error() == errc::protocol_error);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture,
                  "a table is of the client's namespace, and of the version and page that are asked for") {
    client c = connect().namespaced("default");
    const std::string all = std::string("GET ") + widgets_path;
    net->expect(all + "?limit=500&resourceVersion=0").reply(200, table_json(row_a, R"(,"continue":"more")"));
    net->expect(all + "?limit=500&continue=more").reply(200, table_json(row_b));
    const auto old = await(list_table(c, widgets(), list_options().resource_version("0")));
    REQUIRE_MESSAGE(old.has_value(), old.error().what());
    CHECK(old->rows.size() == 2);
    net->expect(all + "?limit=2&continue=here").reply(200, table_json(row_a));
    const auto from = list_options().limit(2).continue_token("here").resource_version("0");
    CHECK(await(list_table(c, widgets(), from)).has_value());
    net->expect(all + "/a?resourceVersion=7").reply(200, table_json(row_a));
    CHECK(await(get_table(c, widgets(), {"", "a"}, get_options().resource_version("7"))).has_value());
    net->expect("GET /api/v1/nodes?limit=500").reply(200, table_json(""));
    CHECK(await(list_table(c, nodes(), {})).has_value());
    CHECK(net->verify());
    const auto sent = net->sent().size();
    CHECK(await(list_table(c, widgets(), list_options().in_namespace("b"))).error() == errc::invalid_argument);
    CHECK(await(get_table(c, widgets(), {"b", "a"}, {})).error() == errc::invalid_argument);
    CHECK(net->sent().size() == sent);
}

TEST_CASE_FIXTURE(client_fixture, "a page of a table has the bound of whole answers, and all pages those of a list") {
    const auto pages = std::make_shared<slow_pages>(env);
    const auto factory = [pages](executor, const http::endpoint&, const http::tls_options&) {
        return result<std::shared_ptr<http::transport>>(pages);
    };
    client c = client::connect(env, context.get_executor(), config, factory, log).value();
    const auto endless = await(list_table(c, widgets(), {}));
    REQUIRE(!endless.has_value());
    CHECK(endless.error() == errc::limit_exceeded);
    CHECK(endless.error().message().find("max_time (3600 s)") != std::string::npos);
    CHECK(pages->most == http::exchange_options::default_max_body);
    pages->last = pages->pages + 1;
    CHECK(await(list_table(c, widgets(), list_options().max_body(std::size_t{1} << 30))).has_value());
    CHECK(pages->most == std::size_t{1} << 30);
    pages->last = pages->pages + 1;
    CHECK(await(get_table(c, widgets(), {"default", "a"}, {})).has_value());
    CHECK(pages->most == http::exchange_options::default_max_body);
}

TEST_CASE("a table as kubectl prints it") {
    object_table table;
    table.columns = {{"Name", false}, {"Up-to-date", false}, {"Node", true}};
    table.rows = {{{"default", "a"}, {"a", "1", "n0"}}};
    object_table::shape how;
    CHECK(table.text(how) == "NAME   UP-TO-DATE\na      1\n");
    how.wide = how.namespaces = true;
    CHECK(table.text(how) == "NAMESPACE   NAME   UP-TO-DATE   NODE\ndefault     a      1            n0\n");
    how.header = how.namespaces = false;
    CHECK(table.text(how) == "a     1     n0\n");
}

TEST_CASE("columns below each other") {
    CHECK(aligned_columns({}).empty());
    CHECK(aligned_columns({{"NAME", "AGE"}, {"longer-name", "5m"}}) == "NAME          AGE\nlonger-name   5m\n");
    CHECK(aligned_columns({{"A", "B", "C"}, {"x"}}) == "A     B     C\nx\n");
    // What a terminal shows counts, not bytes: East Asia, emoji in one piece, marks; and no control character gets
    // there.
    CHECK(aligned_columns({{"NAME", "\u72b6\u6001", "END"},
                           {"one", "\u8bad\u7ec3\u4e2d", "x"},
                           {"two", "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f", "x"},
                           {"e\u0301le\u0300ve", "done", "x"}}) ==
          "NAME    \u72b6\u6001     END\n"
          "one     \u8bad\u7ec3\u4e2d   x\n"
          "two     \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f    x\n"
          "e\u0301le\u0300ve   done     x\n");
    CHECK(aligned_columns({{"A", "B"}, {"a\tb\x1b[31m", "x"}}) == "A                B\na\\x09b\\x1b[31m   x\n");
}
