#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/transport/impl/resolver_config.hpp>

#include <doctest/doctest.h>

#include <array>
#include <sstream>
#include <unistd.h>

using namespace kcontrol;
using namespace std::chrono_literals;
using http::detail::parse_resolver_config;
using http::detail::resolver_config;
using texts = std::vector<std::string>;

namespace {

texts servers_of(const resolver_config& config) {
    texts out;
    for (const auto& server : config.servers) {
        std::ostringstream text;
        text << server;
        out.push_back(text.str());
    }
    return out;
}

}  // namespace

TEST_CASE("resolv.conf: what a pod has") {
    const auto config = parse_resolver_config(
        "search prod.svc.cluster.local svc.cluster.local cluster.local\n"
        "nameserver 10.96.0.10\n"
        "options ndots:5 timeout:2 attempts:3 rotate edns0 trust-ad\n");
    CHECK(servers_of(config) == texts{"10.96.0.10:53"});
    CHECK(config.search == texts{"prod.svc.cluster.local", "svc.cluster.local", "cluster.local"});
    CHECK(config.ndots == 5);
    CHECK(config.timeout == 2s);
    CHECK(config.attempts == 3);
    CHECK(config.rotate);
}

TEST_CASE("resolv.conf: nothing said is glibc's default") {
    for (const std::string_view text : {"", "\n\n", "# nameserver 10.0.0.1\n; search x\n", "nameserver\nsearch\n"}) {
        CAPTURE(text);
        const auto config = parse_resolver_config(text);
        CHECK(servers_of(config) == texts{"127.0.0.1:53"});
        CHECK(config.search.empty());
        CHECK(config.ndots == 1);
        CHECK(config.timeout == 5s);
        CHECK(config.attempts == 2);
        CHECK_FALSE(config.rotate);
    }
}

TEST_CASE("resolv.conf: servers") {
    const auto servers = [](std::string_view text) { return servers_of(parse_resolver_config(text)); };
    CHECK(servers("nameserver 10.0.0.1\nnameserver\t10.0.0.2\nnameserver 10.0.0.3\nnameserver 10.0.0.4\n") ==
          texts{"10.0.0.1:53", "10.0.0.2:53", "10.0.0.3:53"});
    CHECK(servers("nameserver 2001:db8::1 # here\nnameserver [2001:db8::2]:5353\nnameserver 10.0.0.1:5353") ==
          texts{"[2001:db8::1]:53", "[2001:db8::2]:5353", "10.0.0.1:5353"});
    // Not one of these is an address that can be asked.
    CHECK(servers("nameserver dns.example\nnameserver 10.0.0\nnameserver fe80::1%lo\nnameserver [::1\n"
                  "nameserver 10.0.0.1:0\nnameserver 10.0.0.1:70000\nnameserver 10.0.0.1:\nnameserver [::1]x:53\n"
                  " nameserver 10.0.0.9\nNAMESERVER 10.0.0.9\n") == texts{"127.0.0.1:53"});
}

TEST_CASE("resolv.conf: the last of search and domain counts, and a dot is the root") {
    CHECK(parse_resolver_config("search a b\ndomain c d\n").search == texts{"c"});
    CHECK(parse_resolver_config("domain c\nsearch a. b\n").search == texts{"a", "b"});
    CHECK(parse_resolver_config("search .\n").search == texts{""});
    CHECK(parse_resolver_config("search a\r\nnameserver 10.0.0.1\r\n").search == texts{"a"});
}

TEST_CASE("resolv.conf: options beyond glibc's limits are brought back to them") {
    const auto config = parse_resolver_config("options ndots:99 timeout:99 attempts:99\n");
    CHECK(config.ndots == 15);
    CHECK(config.timeout == 30s);
    CHECK(config.attempts == 5);
    const auto least = parse_resolver_config("options ndots:-1 timeout:0 attempts:0\n");
    CHECK(least.ndots == 0);
    CHECK(least.timeout == 1s);
    CHECK(least.attempts == 1);
    const auto unreadable = parse_resolver_config("options ndots: timeout:x attempts:\n");
    CHECK(unreadable.ndots == 1);
    CHECK(unreadable.timeout == 5s);
    CHECK(unreadable.attempts == 2);
}

TEST_CASE("variables go before the file, and the file is read anew") {
    testing::manual_environment env;
    std::array<char, 256> name{};
    REQUIRE(::gethostname(name.data(), name.size() - 1) == 0);
    const std::string own = name.data();
    const auto dot = own.find('.');
    CHECK(http::detail::read_resolver_config(env).search == (dot == own.npos ? texts{} : texts{own.substr(dot + 1)}));
    env.files["/etc/resolv.conf"] = "nameserver 10.0.0.1\nsearch a\noptions ndots:3\n";
    CHECK(http::detail::read_resolver_config(env).search == texts{"a"});
    env.variables["LOCALDOMAIN"] = "b c.";
    env.variables["RES_OPTIONS"] = "ndots:4";
    env.files["/etc/resolv.conf"] = "nameserver 10.0.0.2\nsearch a\noptions ndots:3 attempts:4\n";
    const auto config = http::detail::read_resolver_config(env);
    CHECK(servers_of(config) == texts{"10.0.0.2:53"});
    CHECK(config.search == texts{"b", "c"});
    CHECK(config.ndots == 4);
    CHECK(config.attempts == 4);
}
