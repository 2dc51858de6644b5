#include <kcontrol/json/members.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace json = kcontrol::json;

TEST_CASE("members: objects, lists, and null where there is nothing to say") {
    json::writer out;
    out.begin_object();
    begin_object(out, "a");
    write_or_null(out, "n", std::optional<int>());
    write_or_null(out, "m", std::optional(1));
    out.end_object();
    begin_array(out, "b");
    out.value(2);
    out.end_array();
    write_values(out, "c", std::vector<std::string>{"x", "\"y\""});
    write_values(out, "d", std::vector<double>());
    write_text_or_null(out, "e", "");
    write_text_or_null(out, "f", "z");
    out.end_object();
    CHECK(out.take() == R"({"a":{"n":null,"m":1},"b":[2],"c":["x","\"y\""],"d":[],"e":null,"f":"z"})");
}
