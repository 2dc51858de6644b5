// The objects of a kind as their server prints them.
#include <kcontrol/client/object_table.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string table_json(const std::string& rows, const std::string& more = "") {
    return R"({"kind":"Table","metadata":{"resourceVersion":"7")" + more +
           R"(},"columnDefinitions":[{"name":"Name","priority":0},{"name":"Age"},{"name":"Node","priority":1}],"rows":[)" +
           rows + "]}";
}

const std::string row_a = R"({"cells":["a","5m","n0"],"object":{"metadata":{"name":"a","namespace":"default"}}})";
const std::string row_b = R"({"cells":["two\nlines",3,null],"object":{"metadata":{"name":"b","namespace":"other"}}})";

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "a table page by page, whose cells are one line each") {
    client c = connect();
    net->expect(std::string("GET ") + widgets_path + "?limit=500&labelSelector=x%3Dy")
        .reply(200, table_json(row_a, R"(,"continue":"more")"));
    net->expect(std::string("GET ") + widgets_path + "?limit=500&labelSelector=x%3Dy&continue=more")
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
}
