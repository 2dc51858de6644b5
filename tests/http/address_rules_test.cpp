#include <kcontrol/http/address_rules.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using http::address_rules;

TEST_CASE("without rules every address is allowed") {
    CHECK(address_rules().allows("127.0.0.1"));
    CHECK(address_rules().allows("fe80::1%eth0"));
}

TEST_CASE("of the public internet only: what is private, local, shared or reserved is not, in whatever clothes") {
    const auto rules = address_rules::public_only();
    for (const char* yes :
         {"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.1", "192.167.0.1",
          "169.253.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
        CAPTURE(yes);
        CHECK(rules.allows(yes));
    }
    for (const char* no : {"0.0.0.0",
                           "10.0.0.1",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.168.0.1",
                           "192.0.2.7",
                           "198.18.0.1",
                           "198.51.100.1",
                           "203.0.113.9",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::7f00:1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.1.2.3",
                           "64:ff9b::7f00:1",
                           "64:ff9b::a9fe:a9fe",
                           "64:ff9b:1::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "fc00::1",
                           "fdff::1",
                           "fe80::1",
                           "fe80::1%eth0",
                           "fec0::1",
                           "ff02::1",
                           "localhost",
                           "",
                           "127.1",
                           "8.8.8.8 "}) {
        CAPTURE(no);
        CHECK_FALSE(rules.allows(no));
    }
}

TEST_CASE("what an administrator allows besides") {
    auto rules = address_rules::public_only();
    for (const char* good : {"10.1.0.0/16", "127.0.0.7", "fd12:3456::/32", "::1", "172.16.5.9/12"}) {
        REQUIRE(rules.allow(good));
    }
    for (const char* yes :
         {"10.1.255.1", "::ffff:10.1.0.1", "127.0.0.7", "fd12:3456::9", "::1", "172.31.0.1", "8.8.8.8"}) {
        CAPTURE(yes);
        CHECK(rules.allows(yes));
    }
    for (const char* no : {"10.2.0.1", "127.0.0.8", "fd12:3457::9", "::2"}) {
        CAPTURE(no);
        CHECK_FALSE(rules.allows(no));
    }
    REQUIRE(rules.allow("0.0.0.0/0"));
    CHECK(rules.allows("127.0.0.8"));
    CHECK_FALSE(rules.allows("::2"));
    REQUIRE(rules.allow("::/0"));
    CHECK(rules.allows("::2"));
}

TEST_CASE("private networks besides, and neither this machine nor what is local to its link") {
    const auto rules = address_rules::public_and_private();
    for (const char* yes : {"10.1.2.3", "192.168.0.1", "172.16.0.1", "8.8.8.8", "fd00::1", "100.64.0.1"}) {
        CHECK_MESSAGE(rules.allows(yes), yes);
    }
    for (const char* no : {"127.0.0.1", "169.254.169.254", "::1", "fe80::1", "0.0.0.0", "::ffff:127.0.0.1"}) {
        CHECK_MESSAGE(!rules.allows(no), no);
    }
}

TEST_CASE("a range that is none is refused by its name") {
    address_rules rules;
    for (const std::string bad : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/-1",
                                  "10.0.0.0/8x", "example.com", "fe80::1%eth0/64", "10.0.0.0/8/8"}) {
        CAPTURE(bad);
        const auto refused = rules.allow(bad);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(std::string(refused.error().what()).find("\"" + bad + "\" is no range of addresses") !=
              std::string::npos);
    }
    CHECK(rules.allows("10.0.0.1"));
}
