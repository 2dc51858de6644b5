#include <kcontrol/serve/host_name.hpp>

#include <doctest/doctest.h>

using namespace kcontrol::http;

TEST_CASE("loopback is an address, not a name that looks like one") {
    for (const char* yes : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) CHECK(is_loopback(yes));
    for (const char* no : {"", "localhost.evil", "127.evil.example", "10.0.0.1", "0.0.0.0", "::"})
        CHECK_FALSE(is_loopback(no));
}

TEST_CASE("Host headers and origins, also such as no browser sends") {
    struct row {
        const char* header;
        const char* host;
        const char* authority;  // for https
    };
    const row rows[] = {
        {"localhost", "localhost", "localhost"},
        {"LOCALHOST:1", "localhost", "localhost:1"},
        {"[::1]:8080", "::1", "::1:8080"},
        {"a.corp:443", "a.corp", "a.corp"},
        {"a.corp:80", "a.corp", "a.corp:80"},
        {"", "", ""},
        {"[::1", "", ""},
        {"localhost:80x", "", ""},
        {"localhost:", "", ""},
        {"user@localhost", "", ""},
        {"localhost/path", "", ""},
    };
    for (const auto& one : rows) {
        CAPTURE(one.header);
        CHECK(host_of(one.header) == one.host);
        CHECK(authority_of_host(one.header, "https") == one.authority);
    }
    CHECK(authority_of("https://Monitor.Corp:443") == "monitor.corp");
    CHECK(authority_of("http://monitor.corp:80") == "monitor.corp");
    CHECK(authority_of("http://monitor.corp:443") == "monitor.corp:443");
    for (const char* none : {"null", "", "file://x", "https://", "https://a/b", "monitor.corp", "https://a?x"}) {
        CAPTURE(none);
        CHECK(authority_of(none).empty());
    }
}

TEST_CASE("on loopback another name is a rebound one; elsewhere there are names that nobody knows here") {
    for (const char* host : {"localhost:80", "127.0.0.1", "[::1]:9"}) CHECK_FALSE(is_rebound("127.0.0.1", host));
    for (const char* host : {"evil.example", "127.evil.example:80", "", "a b"}) {
        CHECK(is_rebound("::1", host));
        CHECK_FALSE(is_rebound("0.0.0.0", host));
        CHECK_FALSE(is_rebound("", host));
    }
}
