#include "messages.hpp"

#include <doctest/doctest.h>

using gpu_labeler::quoted;

TEST_CASE("messages: what is quoted is cut between two characters, and steers no terminal") {
    CHECK(quoted("a\nb") == "\"a\\x0ab\"");
    const std::string long_text(99, 'x');
    CHECK(quoted(long_text + "y") == "\"" + long_text + "y\"");
    CHECK(quoted(long_text + "yz") == "\"" + long_text + "y\"");
    CHECK(quoted(long_text + "\xc3\xa9z") == "\"" + long_text + "\"");
    CHECK(quoted(long_text.substr(1) + "\xc3\xa9z") == "\"" + long_text.substr(1) + "\xc3\xa9\"");
    CHECK(quoted(long_text + "\xf0\x9f\x98\x80") == "\"" + long_text + "\"");
}
