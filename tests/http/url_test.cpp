#include <kcontrol/http/url.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using kcontrol::errc;
namespace http = kcontrol::http;

TEST_CASE("base URLs are taken apart") {
    const struct {
        const char* text;
        const char* scheme;
        const char* host;
        std::uint16_t port;
        const char* prefix;
        const char* authority;
    } cases[] = {
        {"https://10.0.0.1:6443", "https", "10.0.0.1", 6443, "", "10.0.0.1:6443"},
        {"https://kubernetes.default.svc", "https", "kubernetes.default.svc", 443, "", "kubernetes.default.svc"},
        {"http://localhost", "http", "localhost", 80, "", "localhost"},
        {"http://localhost:443", "http", "localhost", 443, "", "localhost:443"},
        {"HTTPS://API.Example.com:443/", "https", "api.example.com", 443, "", "api.example.com"},
        {"https://rancher.example/k8s/clusters/c-1", "https", "rancher.example", 443, "/k8s/clusters/c-1",
         "rancher.example"},
        {"https://h:1/a//", "https", "h", 1, "/a", "h:1"},
        {"https://h/a%20b@:c", "https", "h", 443, "/a%20b@:c", "h"},
        {"https://[::1]:65535/p", "https", "::1", 65535, "/p", "[::1]:65535"},
        {"https://[FD00::1]", "https", "fd00::1", 443, "", "[fd00::1]"},
        {"https://[::ffff:1.2.3.4]", "https", "::ffff:1.2.3.4", 443, "", "[::ffff:1.2.3.4]"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto url = http::parse_base_url(c.text);
        REQUIRE(url);
        CHECK(url->endpoint.scheme == c.scheme);
        CHECK(url->endpoint.host == c.host);
        CHECK(url->endpoint.port == c.port);
        CHECK(url->path_prefix == c.prefix);
        CHECK(http::authority(url->endpoint) == c.authority);
    }
    CHECK(http::to_string(http::endpoint("https", "::1", 6443)) == "https://[::1]:6443");
}

TEST_CASE("a bad base URL is refused with the part that is wrong") {
    const struct {
        std::string text;
        const char* says;
    } cases[] = {
        {"", "empty"},
        {"localhost:8080", "scheme"},
        {"//host", "scheme"},
        {"ftp://host", "\"ftp\""},
        {"https ://host", "\"https \""},
        {"https://", "without a host"},
        {"https://user:hunter2@ho st/#x", "fragment"},
        {"https:///path", "without a host"},
        {"https://:443", "without a host"},
        {"https://host:", "port"},
        {"https://host:0", "port"},
        {"https://host:65536", "port"},
        {"https://host:-1", "port"},
        {"https://host:44x", "\"44x\""},
        {"https://host:99999999999", "port"},
        {"https://user:hunter2@host", "user name or password"},
        {"https://host?token=hunter2", "query"},
        {"https://host/p?token=hunter2", "query"},
        {"https://host/#x", "fragment"},
        {"https://::1:443", "brackets"},
        {"https://[::1", "']'"},
        {"https://[::1]443", "after ']'"},
        {"https://[::g]", "IPv6"},
        {"https://[1.2.3.4]", "IPv6"},
        {"https://[fe80::1%25eth0]", "zones"},
        {std::string("https://[::1\0]", 14), "IPv6"},
        {"https://ho st", "host name"},
        {"https://h\r\nost", "\\x0d\\x0a"},
        {"https://m\xc3\xbcller", "punycode"},
        {"https://.host", "host name"},
        {"https://a..b", "host name"},
        {"https://" + std::string(254, 'a'), "253"},
        {"https://host/a b", "percent-encoded"},
        {"https://host/\xc3\xa9", "percent-encoded"},
        {"https://host/a\r\nX: y", "percent-encoded"},
        {"https://host/%zz", "escape"},
        {"https://host/a%2", "escape"},
        {"https://host/a/../b", "\"..\""},
        {"https://host/./", "\"..\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto url = http::parse_base_url(c.text);
        REQUIRE_FALSE(url);
        CHECK(url.error() == errc::invalid_argument);
        CAPTURE(url.error().message());
        CHECK(url.error().message().find(c.says) != std::string::npos);
        CHECK(url.error().message().find("hunter2") == std::string::npos);
    }
}

TEST_CASE("names become path segments, or are refused") {
    const std::pair<const char*, const char*> good[] = {{"web-0", "web-0"},
                                                        {"system:node:a", "system:node:a"},
                                                        {"a.b~c_d", "a.b~c_d"},
                                                        {"a b", "a%20b"},
                                                        {"a?b#c", "a%3Fb%23c"},
                                                        {"\xc3\xa9", "%C3%A9"},
                                                        {"...", "..."},
                                                        {"a;b,c", "a%3Bb%2Cc"},
                                                        {"https:x:1", "https:x:1"}};
    for (const auto& [name, segment] : good) {
        const auto encoded = http::encode_path_segment(name);
        REQUIRE(encoded);
        CHECK(*encoded == segment);
        CHECK(*http::percent_decode(*encoded) == name);
    }
    for (const std::string& name :
         {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("../x"),
          std::string("a%2fb"), std::string("a\nb"), std::string("\x7f"), std::string("a\0b", 3)}) {
        const auto encoded = http::encode_path_segment(name);
        REQUIRE_FALSE(encoded);
        CHECK(encoded.error() == errc::invalid_argument);
    }
}

TEST_CASE("percent-decoding undoes every byte and refuses broken escapes") {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    CHECK(*http::percent_decode(http::percent_encode(all)) == all);
    CHECK(*http::percent_decode("a+b%2fC%2F") == "a+b/C/");
    for (const char* bad : {"%", "%4", "a%4g", "%%20", "% 1"}) CHECK_FALSE(http::percent_decode(bad));
    CHECK(http::percent_decode("abc%x").error().message() == "broken percent escape at byte 3");
}

TEST_CASE("queries are built and parsed back") {
    http::query_builder query;
    CHECK(query.empty());
    CHECK(query.after("/api/v1/pods") == "/api/v1/pods");
    query.append("labelSelector", "app=web,tier in (a,b)").append("limit", "500").append("continue", "a+b&c/=");
    CHECK(query.text() == "labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&limit=500&continue=a%2Bb%26c%2F%3D");
    const std::string target = query.after("/api/v1/pods");
    const auto [path, text] = http::split_target(target);
    CHECK(path == "/api/v1/pods");
    using pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(http::parse_query(text) ==
          pairs{{"labelSelector", "app=web,tier in (a,b)"}, {"limit", "500"}, {"continue", "a+b&c/="}});

    CHECK(http::parse_query("").empty());
    CHECK(http::parse_query("watch&a=&&b=1=2&c=x+y&d=%zz&%=1&a=2&") ==
          pairs{{"watch", ""}, {"a", ""}, {"b", "1=2"}, {"c", "x y"}, {"a", "2"}});
    CHECK(http::split_target("/a").second.empty());
    CHECK(http::split_target("/a?b?c").second == "b?c");
}

TEST_CASE("paths are split into decoded segments") {
    using segments = std::vector<std::string>;
    CHECK(*http::split_path("/api/v1/namespaces/a%20b/pods/") == segments{"api", "v1", "namespaces", "a b", "pods"});
    CHECK(*http::split_path("//a%2Fb//c") == segments{"a/b", "c"});
    CHECK(http::split_path("/")->empty());
    CHECK(http::split_path("")->empty());
    CHECK_FALSE(http::split_path("/a/%g0"));
}
