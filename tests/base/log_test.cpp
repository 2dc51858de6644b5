#include <kcontrol/base/log.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace std::string_literals;

TEST_CASE("escape_control(): what steers a terminal or is no UTF-8 is shown, and all else is left alone") {
    struct row {
        std::string text, shown;
    };
    for (const auto& r : {row{"plain, \\ and \"quotes\"", "plain, \\ and \"quotes\""},
                          row{"a\r\n\t\0\x1b[2J\x7f"s, "a\\x0d\\x0a\\x09\\x00\\x1b[2J\\x7f"},
                          row{"caf\u00e9 \u65e5\u672c \U0001F600", "caf\u00e9 \u65e5\u672c \U0001F600"},
                          row{"\u0080\u009b2J\u009f\u00a0", "\\xc2\\x80\\xc2\\x9b2J\\xc2\\x9f\u00a0"},
                          row{"\xff\x80z\xc3", "\\xff\\x80z\\xc3"}, row{"\xe6\x97", "\\xe6\\x97"},  // cut
                          row{"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},  // overlong; a surrogate
                          row{"", ""}}) {
        CHECK(escape_control(r.text) == r.shown);
        CHECK(escape_control(r.shown) == r.shown);
    }
}

TEST_CASE("logger: a sink that throws takes nobody down, and what is lost is told afterwards") {
    std::vector<std::string> lines;
    bool broken = false;
    bool by_int = false;
    const logger log([&](const log_record& record) {
        if (broken && by_int) throw 7;
        if (broken) throw std::runtime_error("the disk is full");
        std::string line(record.message);
        for (const auto& field : record.fields) line += " " + std::string(field.name) + "=" + field.value;
        lines.push_back(std::move(line));
    });
    log.info("one");
    broken = true;
    CHECK_NOTHROW(log.info("two"));
    by_int = true;
    CHECK_NOTHROW(log.with("kind", "Pod").error("three", {{"error", "no"}}));
    CHECK(log.lost() == 2);
    broken = false;
    log.info("four");
    log.info("five");
    const std::vector<std::string> expected{"one", "four", "the log's sink threw, and records are lost records=2",
                                            "five"};
    CHECK(lines == expected);
    CHECK(log.lost() == 2);
}

TEST_CASE("logger: without a sink, or with an empty one, nothing is told and nothing thrown") {
    for (const logger& none : {logger(), logger(log_sink()), logger(log_sink(), log_level::debug).with("a", "b")}) {
        CHECK_FALSE(none.enabled(log_level::error));
        CHECK_NOTHROW(none.error("dropped"));
        CHECK(none.lost() == 0);
    }
}
