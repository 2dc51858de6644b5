// The digest under which secrets are remembered.
#include <kcontrol/transport/keyed_digest.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using http::keyed_digest;

namespace {

std::string hex(const keyed_digest::value& bytes) {
    std::string out;
    for (const unsigned byte : bytes) {
        out += "0123456789abcdef"[byte >> 4U];
        out += "0123456789abcdef"[byte & 15U];
    }
    return out;
}

}  // namespace

TEST_CASE("it is HMAC-SHA-256 of the texts with their lengths") {
    const keyed_digest known(secret_string("key"));
    // Python: hmac.new(b'key', b'8:Hi There3:abc', hashlib.sha256)
    CHECK(hex(known.of({"Hi There", "abc"})) == "0eb96fab3a540da037125f181d7795cc6ca22f69cd556306e21b61d775135bd4");
    CHECK(known.of({"ab", "c"}) != known.of({"a", "bc"}));
    CHECK(known.of({"abc"}) != known.of({"abc", ""}));
}

TEST_CASE("each has a key of its own") {
    const auto one = keyed_digest::create(), other = keyed_digest::create();
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->of({"token"}) == one->of({"token"}));
    CHECK(one->of({"token"}) != other->of({"token"}));
}
