// Proxies as they are written in kubeconfigs and environment variables.
#include <kcontrol/http/proxy_rules.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::http;

namespace {

std::string read(const std::string& url) {
    const auto parsed = parse_proxy_url(url);
    if (parsed) return parsed->text();
    CHECK(parsed.error() == errc::invalid_argument);
    CHECK(parsed.error().what().find("CANARY") == std::string::npos);
    return "";
}

/// The proxy to a server, or "direct".
std::string way(const proxy_rules& rules, const std::string& host, std::uint16_t port = 443,
                const std::string& scheme = "https") {
    const proxy via = rules.choose(endpoint(scheme, host, port));
    return via.empty() ? "direct" : via.text();
}

}  // namespace

TEST_CASE("the URL of a proxy: kind, port and login") {
    struct row {
        const char* url;
        const char* text;
    };
    for (const auto& r :
         {row{"http://p", "http://p:80"}, row{"https://p", "https://p:443"}, row{"socks5://p", "socks5://p:1080"},
          row{"socks5h://p:1", "socks5://p:1"}, row{"HTTP://P.Example:3128/", "http://p.example:3128"},
          row{"http://p:80", "http://p:80"}, row{"socks5://p:80", "socks5://p:80"},
          row{"https://[::1]", "https://[::1]:443"}, row{"socks5://[fd00::1]:7", "socks5://[fd00::1]:7"},
          row{"http://u:CANARY@p:1", "http://p:1"}, row{"http://u:a@b@p:1", "http://p:1"}}) {
        CAPTURE(r.url);
        CHECK(read(r.url) == r.text);
    }
    for (const char* bad : {"", "p:80", "ftp://p", "socks4://u:CANARY@p", "http://", "http://u:CANARY@",
                            "http://u:CANARY@p:0", "http://u:CANARY@p:99999", "http://u:CANARY@p:x", "http://p/path",
                            "http://p?CANARY", "http://p#CANARY", "http://u:%ZZCANARY@p", "http://u:CANARY/@p",
                            "http://u:CANARY@a b", "http://[::1", "http://u:CANARY@::1:8"}) {
        CAPTURE(bad);
        CHECK(read(bad).empty());
    }
    const proxy with = parse_proxy_url("http://us%40er:p%3Aa%2Fs@p:3128").value();
    CHECK(with.user() == "us@er");
    CHECK(with.password() == secret_string("p:a/s"));
    CHECK(parse_proxy_url("http://user@p")->has_login());
    CHECK(!parse_proxy_url("http://p")->has_login());
}

// The cases of golang.org/x/net/http/httpproxy, proxy_test.go, and what follows from its documentation.
TEST_CASE("NO_PROXY: names, what is below them, addresses, networks and ports") {
    struct row {
        const char* no_proxy;
        const char* host;
        std::uint16_t port;
        bool direct;
    };
    const char* list =
        "foo.com, .bar.com, .barbaz.net, 192.168.1.1, 192.168.1.2:81, 192.168.1.3:80, 10.0.0.0/30,"
        " 2001:db8::52:0:1, [2001:db8::52:0:2]:443, [2001:db8::52:0:3]:80, 2002:db8:a::45/64, *.blue.net,"
        " exact.net:8443, , [::1]x/9, 10.1.0.0/99";
    for (const auto& r : {row{list, "foo.com", 443, true},          row{list, "www.foo.com", 443, true},
                          row{list, "foobar.com", 443, false},      row{list, "www.bar.com", 443, true},
                          row{list, "bar.com", 443, false},  // a dot means what is below it only
                          row{list, "xbar.com", 443, false},        row{list, "ba.barbaz.net", 443, true},
                          row{list, "barbaz.net", 443, false},      row{list, "blue.net", 443, false},
                          row{list, "a.blue.net", 443, true},       row{list, "exact.net", 443, false},
                          row{list, "exact.net", 8443, true},       row{list, "a.exact.net", 8443, true},
                          row{list, "192.168.1.1", 443, true},      row{list, "192.168.1.1", 7, true},
                          row{list, "192.168.1.2", 443, false},     row{list, "192.168.1.2", 81, true},
                          row{list, "192.168.1.3", 80, true},       row{list, "192.168.1.4", 443, false},
                          row{list, "10.0.0.2", 443, true},         row{list, "10.0.0.4", 443, false},
                          row{list, "10.1.0.1", 443, false},        row{list, "::ffff:10.0.0.2", 443, true},
                          row{list, "2001:db8::52:0:1", 443, true}, row{list, "2001:db8::52:0:2", 443, true},
                          row{list, "2001:db8::52:0:2", 80, false}, row{list, "2001:db8::52:0:3", 443, false},
                          row{list, "2002:db8:a::123", 443, true},  row{list, "fe80::424b:c8be:1643:a1b6", 443, false},
                          row{"*", "foo.com", 443, true},           row{"a, *", "10.0.0.1", 1, true},
                          row{"*.com", "foo.com", 443, true},       row{"", "foo.com", 443, false},
                          row{" ,,", "foo.com", 443, false},        row{"FOO.com", "foo.com", 443, true},
                          row{"0.0.0.0/0", "foo.com", 443, false},  row{"0.0.0.0/0", "8.8.8.8", 443, true},
                          row{"", "localhost", 443, true},          row{"", "127.0.0.1", 443, true},
                          row{"", "127.9.9.9", 443, true},          row{"", "::1", 443, true},
                          row{"", "127.evil.com", 443, false}}) {
        CAPTURE(std::string(r.no_proxy));
        CAPTURE(std::string(r.host));
        CAPTURE(r.port);
        proxy_rules rules;
        rules.for_https(proxy("http", "p", 3128)).except(r.no_proxy);
        CHECK(way(rules, r.host, r.port) == (r.direct ? "direct" : "http://p:3128"));
    }
}

TEST_CASE("the environment variables: upper case first, one for each scheme, and none of a CGI program's") {
    testing::manual_environment env;
    const auto of = [&](const std::string& scheme) {
        const auto rules = proxy_rules::from_environment(env);
        return rules ? way(*rules, "api.example", 443, scheme) : rules.error().message();
    };
    CHECK(of("https") == "direct");
    env.variables = {{"https_proxy", "p:1"}, {"http_proxy", "socks5://q"}};
    CHECK(of("https") == "http://p:1");
    CHECK(of("http") == "socks5://q:1080");
    env.variables["HTTPS_PROXY"] = "https://P2";
    env.variables["HTTP_PROXY"] = "u:CANARY@q2:3";
    CHECK(of("https") == "https://p2:443");
    CHECK(of("http") == "http://q2:3");
    env.variables["no_proxy"] = "api.example";
    CHECK(of("https") == "direct");
    env.variables["NO_PROXY"] = "other";
    CHECK(of("https") == "https://p2:443");
    env.variables["REQUEST_METHOD"] = "GET";
    CHECK(of("http") == "direct");
    CHECK(of("https") == "https://p2:443");
    env.variables = {{"HTTPS_PROXY", "ftp://u:CANARY@p"}};
    CHECK(of("https") ==
          "environment variable HTTPS_PROXY: proxy URL with scheme \"ftp\"; only http, https and socks5 are possible");
    env.variables = {{"HTTPS_PROXY", "http://u:CANARY@p:x"}};
    CHECK(of("https").find("CANARY") == std::string::npos);
    env.variables = {{"HTTPS_PROXY", ""}, {"https_proxy", "p"}};
    CHECK(of("https") == "http://p:80");
}
