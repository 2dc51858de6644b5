#include <kcontrol/base/ascii.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("ascii: letters have no case, and what stands beside them in the table has") {
    CHECK(ascii_lower("AZaz@[`{09\xc3\x84") == "azaz@[`{09\xc3\x84");
    CHECK(iequals("Content-Length", "content-lengtH"));
    CHECK(iequals("", ""));
    CHECK_FALSE(iequals("a", "ab"));
    CHECK_FALSE(iequals("[", "{"));
    CHECK_FALSE(iequals("@", "`"));
    CHECK(istarts_with("Bearer x", "bEARER "));
    CHECK(istarts_with("a", ""));
    CHECK_FALSE(istarts_with("a", "ab"));
}
