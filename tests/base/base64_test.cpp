#include <kcontrol/base/base64.hpp>

#include <doctest/doctest.h>

// The vectors of RFC 4648 §10.
TEST_CASE("base64 of every length of the last group, both ways") {
    struct row {
        const char* bytes;
        const char* text;
    };
    const row rows[] = {{"", ""},
                        {"f", "Zg=="},
                        {"fo", "Zm8="},
                        {"foo", "Zm9v"},
                        {"foob", "Zm9vYg=="},
                        {"fooba", "Zm9vYmE="},
                        {"foobar", "Zm9vYmFy"},
                        {"\xff\xfe\xfb", "//77"}};
    for (const auto& one : rows) {
        CAPTURE(one.text);
        CHECK(kcontrol::encode_base64(one.bytes) == one.text);
        const auto decoded = kcontrol::decode_base64(one.text);
        REQUIRE(decoded.has_value());
        CHECK(*decoded == one.bytes);
    }
    CHECK(kcontrol::encode_base64(std::string_view("\0\0", 2)) == "AAA=");
    CHECK(kcontrol::decode_base64("Zm9v\n YmFy\n") == "foobar");
    for (const char* broken : {"Z", "Zg", "Zg=", "Zg==Zg==", "Z===", "Z-==", "====="}) {
        CAPTURE(broken);
        CHECK_FALSE(kcontrol::decode_base64(broken).has_value());
    }
}
