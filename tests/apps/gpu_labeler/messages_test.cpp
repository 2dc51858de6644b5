#include "messages.hpp"

#include <doctest/doctest.h>

using gpu_labeler::in_quotes;

TEST_CASE("messages: what is quoted is cut between two characters, and steers no terminal") {
    CHECK(in_quotes("a\nb") == "\"a\\x0ab\"");
    const std::string long_text(99, 'x');
    CHECK(in_quotes(long_text + "y") == "\"" + long_text + "y\"");
    CHECK(in_quotes(long_text + "yz") == "\"" + long_text + "y\"");
    CHECK(in_quotes(long_text + "\xc3\xa9z") == "\"" + long_text + "\"");
    CHECK(in_quotes(long_text.substr(1) + "\xc3\xa9z") == "\"" + long_text.substr(1) + "\xc3\xa9\"");
    CHECK(in_quotes(long_text + "\xf0\x9f\x98\x80") == "\"" + long_text + "\"");
}
