#include <kcontrol/base/in_quotes.hpp>

#include <doctest/doctest.h>

using kcontrol::in_quotes;

TEST_CASE("in_quotes: what others gave is cut between two characters, and steers no terminal") {
    CHECK(in_quotes("") == "\"\"");
    CHECK(in_quotes("a\nb") == "\"a\\x0ab\"");
    const std::string long_text(199, 'x');
    CHECK(in_quotes(long_text + "y") == "\"" + long_text + "y\"");
    CHECK(in_quotes(long_text + "yz") == "\"" + long_text + "y…\"");
    CHECK(in_quotes(long_text + "\xc3\xa9") == "\"" + long_text + "…\"");
    CHECK(in_quotes(long_text.substr(1) + "\xc3\xa9z") == "\"" + long_text.substr(1) + "\xc3\xa9…\"");
    CHECK(in_quotes(std::string(300, '\x80')) == "\"…\"");
    CHECK(in_quotes("abc", 2) == "\"ab…\"");
}
