#include "push/push_target.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

TEST_CASE("push target: URLs") {
    const auto influx = push_target::parse("https://Influx.example/api/v2/write?org=o&bucket=b");
    REQUIRE(influx);
    CHECK(influx->server().scheme == "https");
    CHECK(influx->server().host == "influx.example");
    CHECK(influx->server().port == 443);
    CHECK(influx->target() == "/api/v2/write?org=o&bucket=b");
    CHECK(push_target::parse("http://[::1]:8428/write")->server().port == 8428);
    CHECK(push_target::parse("http://a/write?precision=ns"));
    for (const auto* bad : {"", "influx", "ftp://a/write", "http://a", "http://a/", "http://u:secret@a/write",
                            "http://a/write#x", "http://a/wri te", "http://a/write?p=secret\n"}) {
        CAPTURE(bad);
        const auto why = push_target::parse(bad);
        REQUIRE_FALSE(why);
        CHECK(why.error().message().find("this is no URL to push to") == 0);
        CHECK(why.error().message().find("secret") == std::string::npos);
    }
    CHECK(push_target::parse("http://a/write?precision=s").error().message().find("nanoseconds") != std::string::npos);
}

TEST_CASE("push target: flags that go together") {
    const auto to = [](const char* url) { return push_options().target(*push_target::parse(url)); };
    CHECK(check_push(push_options()));
    CHECK(check_push(to("http://a/write")));
    CHECK(check_push(to("https://a/write").authorization_file("/t").ca_file("/c")));
    CHECK(check_push(to("http://127.0.0.1/write").authorization_file("/t")));
    CHECK(check_push(to("http://a/write").authorization_file("/t")).error().message().find("anybody on the way") !=
          std::string::npos);
    CHECK(check_push(to("http://a/write").ca_file("/c")).error().message().find("https") != std::string::npos);
    CHECK(check_push(push_options().authorization_file("/t")).error().message().find("needs --push-url") !=
          std::string::npos);
    CHECK(check_push(push_options().ca_file("/c")).error().message().find("needs --push-url") != std::string::npos);
}
