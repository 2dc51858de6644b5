#include "crypto/hmac.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

// The vectors of RFC 4231, cases 1, 2, 3, 6 and 7.
TEST_CASE("HMAC-SHA256 is RFC 4231's") {
    const auto mac = [](std::string_view key, std::string_view text) {
        return crypto::to_hex(crypto::hmac_sha256(key, text));
    };
    CHECK(mac(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(mac("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(mac(std::string(20, '\xaa'), std::string(50, '\xdd')) ==
          "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    CHECK(mac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    // hmac.new(b"", b"", hashlib.sha256).hexdigest()
    CHECK(mac("", "") == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST_CASE("hexadecimal and base64") {
    CHECK(crypto::to_hex(std::string("\x00\x7f\xff", 3)) == "007fff");
    CHECK(crypto::to_base64("").empty());
    CHECK(crypto::to_base64("f") == "Zg==");
    CHECK(crypto::to_base64("fo") == "Zm8=");
    CHECK(crypto::to_base64("foobar") == "Zm9vYmFy");
    CHECK(crypto::to_base64("\xfb\xff") == "+/8=");
}
