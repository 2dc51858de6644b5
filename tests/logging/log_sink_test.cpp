#include <kcontrol/logging/log_sink.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;

TEST_CASE("a log line as text: control characters are escaped, a value that is no word is in quotes") {
    const std::vector<log_field> fields{{"a", "plain"}, {"b", "two words"}, {"c", "x\ny"},
                                        {"d", "\"q\""}, {"e", ""},          {"f", "ends in \\"}};
    const log_record record{log_level::info, "hello\x1b", fields};
    CHECK(log_line(record, log_format::text, wall_time(std::chrono::seconds(1'700'000'000))) ==
          "2023-11-14T22:13:20Z info hello\\x1b a=plain b=\"two words\" c=x\\x0ay d=\"\\\"q\\\"\" e=\"\" "
          "f=\"ends in \\\\\"\n");
}

TEST_CASE("log lines can't be forged, and hold their fields") {
    const std::vector<log_field> fields{{"cluster", "a b"}, {"error", "x\n\"y\""}, {"n", "1"}};
    const log_record record{log_level::warning, "it\x1b[2J broke", fields};
    const wall_time at{std::chrono::seconds(1000)};
    CHECK(log_line(record, log_format::text, at) ==
          "1970-01-01T00:16:40Z warning it\\x1b[2J broke cluster=\"a b\" error=\"x\\x0a\\\"y\\\"\" n=1\n");
    CHECK(log_line(record, log_format::json, at) ==
          R"({"time":"1970-01-01T00:16:40Z","level":"warning","message":"it\u001b[2J broke","cluster":"a b",)"
          R"("error":"x\n\"y\"","n":"1"})"
          "\n");
}
