// The cells of custom kinds beside those of apiextensions-apiserver.
#include "testserver/rendering.hpp"

#include <kcontrol/values/time.hpp>

#include "go_truth/go_table.hpp"
#include "testserver/stored_object.hpp"
#include "testserver/timestamp.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;
using test::go_table;
using test::text_of;

namespace {

const wall_time now = parse_time("2026-11-28T12:00:00Z").value();

// The first row of the table of `content`, with such columns.
json::array cells_of(const json::value& content, std::vector<printer_column> columns) {
    resource_type type("x", "v1", "Foo", "foos");
    type.custom = true;
    type.version_columns["v1"] = std::move(columns);
    request_info request;
    request.version = "v1";
    const renderer as_table(type, request, shape::table, now);
    const auto table = json::parse(as_table.object(stored_object(content.as_object()))).value();
    CHECK(table.at("columnDefinitions").as_array().size() == table.at("rows").at(0).at("cells").as_array().size());
    return table.at("rows").at(0).at("cells").as_array();
}

json::value cell_of(std::string_view content, std::string type, std::string path) {
    return cells_of(json::parse(content).value(), {{"A", std::move(type), std::move(path)}}).at(1);
}

}  // namespace

TEST_CASE("rendering: printer columns have the cells of a real server, of every type") {
    std::vector<json::value> documents;
    std::size_t cells = 0;
    for (const auto& row : go_table("json_path")) {
        if (row[0] == "document") {
            documents.push_back(row[1]);
            continue;
        }
        const std::string path = text_of(row[0]);
        // Go takes members in any order, which is not told here; templates are no paths.
        if (row[2] == "parse" || !row[4].as_bool() || path.find('}') != std::string::npos) continue;
        if (path.starts_with("range") || path.ends_with("end")) continue;
        // A whole number of the path itself has a Go type of its own, which no cell has. Columns begin with a dot.
        if (path.ends_with(" 5") || path.find_first_of("+-5") == 0) continue;
        CAPTURE(path);
        CAPTURE(row[1].as_int64());
        std::vector<printer_column> columns;
        for (const char* type : {"string", "integer", "number", "boolean", "date"})
            columns.emplace_back("A", type, path);
        auto got = cells_of(documents.at(static_cast<std::size_t>(row[1].as_int64())), std::move(columns));
        REQUIRE(got.size() == 6);
        const auto& wanted = row[6].as_array();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(i);
            json::value one = got[i + 1];
            if (i == 4 && one.is_string() && !one.get_string().starts_with("<")) one = "age";
            CAPTURE(json::serialize(one));
            CAPTURE(json::serialize(wanted[i]));
            // Go shows doubles beyond 63 bits as digits, which read as an integer here.
            const json::value beside = wanted[i].is_uint64() ? json::value(wanted[i].to_number<double>()) : wanted[i];
            CHECK(json::equal(one, beside));
            ++cells;
        }
    }
    CHECK(cells > 2000);
}

TEST_CASE("rendering: no column from the first path on that can't be read") {
    const auto content = json::parse(R"({"metadata":{"name":"a"},"spec":{"x":1}})").value();
    CHECK(json::serialize(json::value(cells_of(
              content, {{"A", "integer", ".spec.x"}, {"B", "string", ".spec[x]"}, {"C", "integer", ".spec.x"}}))) ==
          R"(["a",1])");
}

TEST_CASE("rendering: dates that are none, and the oldest and the latest") {
    const auto date = [](const std::string& text) {
        return json::serialize(cell_of(R"({"metadata":{"name":"a"},"at":)" + text + "}", "date", ".at"));
    };
    CHECK(date("null") == "null");
    CHECK(date("5") == "null");
    CHECK(date(R"("")") == R"("<unknown>")");
    CHECK(date(R"("null")") == R"("<unknown>")");
    CHECK(date(R"("0001-01-01T00:00:00Z")") == R"("<unknown>")");
    CHECK(date(R"("yesterday")") == R"("<invalid>")");
    CHECK(date(R"("2026-11-28t11:00:00z")") == R"("<invalid>")");
    CHECK(date(R"("2026-11-28T12:00:02Z")") == R"("<invalid>")");
    CHECK(date(R"("9999-12-31T23:59:59Z")") == R"("<invalid>")");
    CHECK(date(R"("2026-11-28T12:00:01Z")") == R"("0s")");
    CHECK(date(R"("2026-11-28T12:00:01.9Z")") == R"("0s")");
    CHECK(date(R"("2026-11-28T20:00:00+08:00")") == R"("0s")");
    CHECK(date(R"("2026-11-28T11:59:00.5Z")") == R"("59s")");
    CHECK(date(R"("2026-11-28T19:55:00+08:00")") == R"("5m")");
    CHECK(date(R"("0001-01-01T00:00:01Z")") == R"("292y")");
    CHECK(date(R"("1600-01-01T00:00:00Z")") == R"("292y")");
}

TEST_CASE("rendering: kind and apiVersion are members as all others") {
    CHECK(cell_of(R"({"metadata":{"name":"a"}})", "string", ".kind") == "Foo");
    CHECK(cell_of(R"({"metadata":{"name":"a"}})", "string", ".apiVersion") == "x/v1");
}
