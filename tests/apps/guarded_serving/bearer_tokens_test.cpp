#include "guarded_serving/bearer_tokens.hpp"

#include <kcontrol/base/base64.hpp>

#include <doctest/doctest.h>

using namespace guarded_serving;

namespace {
const std::string one = "0123456789abcdef", two = "second-token.with~all+of/them==";
}

TEST_CASE("a token file: one a line, with blanks, comments and Windows line ends") {
    const auto tokens = bearer_tokens::parse("# readers\r\n  " + one + " \r\n\n" + two);
    REQUIRE(tokens.has_value());
    CHECK(tokens->size() == 2);
    CHECK(tokens->contains(one));
    CHECK(tokens->contains(two));
    for (const std::string& wrong :
         {std::string(), one.substr(1), one + "0", std::string("0123456789abcdeF"), one + "\n" + two}) {
        CAPTURE(wrong);
        CHECK_FALSE(tokens->contains(wrong));
    }
}

TEST_CASE("a token file that can't be used: the line is named, the token is not") {
    struct row {
        const char* text;
        const char* why;
    };
    const row rows[] = {{"", "there is no token in it"},
                        {"# nothing\n\n", "there is no token in it"},
                        {"0123456789abcdef\nhunter2\n", "line 2: the token is shorter than 16 characters"},
                        {"two words are no token", "line 1: a token consists of letters"},
                        {"0123456789abcde\x01", "line 1: a token consists of letters"}};
    for (const auto& bad : rows) {
        CAPTURE(bad.text);
        const auto tokens = bearer_tokens::parse(bad.text);
        REQUIRE_FALSE(tokens.has_value());
        CHECK(tokens.error() == kcontrol::errc::invalid_config);
        CHECK(tokens.error().message().find(bad.why) != std::string::npos);
        CHECK(tokens.error().message().find("hunter2") == std::string::npos);
    }
}

TEST_CASE("what an Authorization header opens") {
    const auto tokens = bearer_tokens::parse(one).value();
    const auto basic = [](const std::string& pair) { return "Basic " + kcontrol::encode_base64(pair); };
    for (const auto& good :
         {"Bearer " + one, "bearer   " + one, "BEARER " + one, basic("me:" + one), basic(":" + one)}) {
        CAPTURE(good);
        CHECK(tokens.opens(good));
    }
    for (const auto& bad : {std::string(), std::string("Bearer"), std::string("Bearer "), one, "Token " + one,
                            "Bearer" + one, "Bearer " + one + "x", basic(one), basic(one + ":"),
                            std::string("Basic %%%"), "Bearer " + one + ", Basic x"}) {
        CAPTURE(bad);
        CHECK_FALSE(tokens.opens(bad));
    }
    CHECK_FALSE(bearer_tokens().opens("Bearer "));
    CHECK_FALSE(bearer_tokens().opens(basic("me:")));
}
