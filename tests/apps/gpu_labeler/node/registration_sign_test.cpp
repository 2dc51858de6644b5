#include "node/registration_sign.hpp"

#include "apps/gpu_labeler/support/tokens.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace gpu_labeler;
using gpu_labeler_test::pod_token;
using gpu_labeler_test::token_of;

TEST_CASE("registration sign: what a token says") {
    const auto full = read_token_claims(pod_token(1'800'000'000, R"({"name":"gpu-1","uid":"u-1"})"));
    REQUIRE(full);
    CHECK(*full == token_claims{"u-1", 1'800'000'000, 3607});
    CHECK(read_token_claims(pod_token(5, R"({"name":"gpu-1"})")) == token_claims{"", 5, 3607});
    CHECK(read_token_claims(pod_token(5)) == token_claims{std::nullopt, 5, 3607});
    CHECK(read_token_claims(token_of(R"({"iat":10,"exp":610})")) == token_claims{std::nullopt, 10, 600});
    CHECK(read_token_claims(pod_token(5) + "\n") == token_claims{std::nullopt, 5, 3607});
    for (const std::string& text :
         {std::string(), std::string("abc"), std::string("a.b"), std::string("a..c"), std::string("a.?.c"),
          std::string("a.e30.c"), token_of("[]"), token_of(R"({"iat":"1","exp":2})"), token_of("\xff"),
          std::string(5000, '.'), token_of(std::string(100'000, '['))}) {
        CAPTURE(text.substr(0, 60));
        CHECK(!read_token_claims(text));
    }
}

TEST_CASE("registration sign: a Node with another UID, and nothing else, is a sign") {
    const auto of = [](std::int64_t issued, const char* uid) {
        return pod_token(issued, std::string(R"({"name":"n","uid":")") + uid + "\"}");
    };
    registration_sign sign;
    CHECK(!sign.saw(""));
    CHECK(!sign.saw(of(1000, "u-1")));  // the first one: the program looks at its start anyway
    CHECK(!sign.saw(of(1000, "u-1")));
    CHECK(!sign.saw(of(1060, "u-1")));  // a kubelet that was started anew, and its Node stayed
    CHECK(!sign.saw("garbage"));
    CHECK(sign.saw(of(1100, "u-2")));
    CHECK(!sign.saw(of(1100, "u-2")));
    CHECK(sign.saw(pod_token(1200, R"({"name":"n"})")));  // the Node was gone when the kubelet asked
    CHECK(sign.saw(of(4100, "u-3")));
    CHECK(!sign.saw(of(100, "u-3")));  // the API server's clock was set back
}

TEST_CASE("registration sign: where tokens name no Node, one that comes before it is due is a sign") {
    registration_sign sign;
    CHECK(!sign.saw(pod_token(1000)));
    CHECK(!sign.saw(pod_token(1000 + 2880)));  // due after four fifths of an hour, less a few seconds
    CHECK(sign.saw(pod_token(1000 + 2880 + 600)));
    CHECK(!sign.saw(pod_token(1000)));  // the API server's clock was set back
    CHECK(!sign.saw(pod_token(100'000)));
    CHECK(sign.saw(pod_token(100'001, R"({"name":"n","uid":"u"})")));  // the cluster names Nodes from now on
}
