#include <kcontrol/base/log.hpp>

#include <doctest/doctest.h>

#include <string>

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
