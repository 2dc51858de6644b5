// Servers that are reached through a proxy: CONNECT over TCP and TLS, SOCKS5, with a login and without, and proxies
// that do not do what they should.
#include <kcontrol/runtime/timer.hpp>

#include "transport/fixture.hpp"
#include "transport/proxy_peer.hpp"
#include "transport/raw_peer.hpp"

using namespace kcontrol;
using namespace kcontrol::test;
using http::certificate_authority;
using http::certificate_options;

namespace {

class through_proxy : public loopback {
public:
    through_proxy() {
        auto own = ca.issue(certificate_options(env.wall_now()).common_name("server").dns("api.test")).value();
        server = serve(echo, {}, http::server_tls(std::move(own.cert_pem), std::move(own.key_pem)));
        auto proxys = ca.issue(certificate_options(env.wall_now()).common_name("proxy").ip("127.0.0.1")).value();
        proxy_tls = http::server_tls(std::move(proxys.cert_pem), std::move(proxys.key_pem));
    }

    /// api.test exists at the proxy only.
    http::endpoint api(const http::proxy& via, const std::string& scheme = "https") {
        http::endpoint to(scheme, "api.test", server->local_port());
        to.via = via;
        return to;
    }
    result<std::shared_ptr<http::transport>> open(const http::endpoint& to) {
        return http::make_transport_factory(env)(ex(), to, http::tls_options().ca_pem(ca.cert_pem()));
    }
    std::string body_from(const http::endpoint& to, http::exchange_options options = {}) {
        const auto net = open(to);
        if (!net) return net.error().what();
        const auto answer = get(**net, "/hello", options);
        return answer ? answer->body : answer.error().what();
    }
    http::proxy at(const proxy_peer& peer, const std::string& scheme) const {
        return http::proxy(scheme, "127.0.0.1", peer.port());
    }

    certificate_authority ca = certificate_authority::create(certificate_options(env.wall_now())).value();
    std::unique_ptr<http::server> server;
    std::optional<http::server_tls> proxy_tls;
};

}  // namespace

TEST_CASE("CONNECT: the server's name is the proxy's to look up, TLS is with the server, and the way is used again") {
    through_proxy net;
    proxy_peer peer(net.context, net.server->local_port());
    const auto client = net.open(net.api(net.at(peer, "http"))).value();
    for (int i = 0; i < 3; ++i) CHECK(net.get(*client, "/hello")->body == "GET /hello\n");
    const std::string host = "api.test:" + std::to_string(net.server->local_port());
    CHECK(peer.asked() == std::vector<std::string>{"CONNECT " + host});
    CHECK(has(peer.last_head(), "\r\nHost: " + host + "\r\n"));
    CHECK(!has(peer.last_head(), "Authorization"));
}

TEST_CASE("a login goes to the proxy, in its header and nowhere else") {
    through_proxy net;
    proxy_peer peer(net.context, net.server->local_port());
    peer.wants("user", "CANARY:pass");
    http::proxy via = net.at(peer, "http");
    const std::string host = "api.test:" + std::to_string(net.server->local_port());
    CHECK(net.body_from(net.api(via)) == "https://" + host + ": proxy " + via.text() + ": it opens no way to " + host +
                                             ": HTTP/1.1 407 Proxy Authentication Required; give its user and password "
                                             "(http://user:password@host:port)");
    CHECK(net.body_from(net.api(via.login("user", secret_string("CANARY:pass")))) == "GET /hello\n");
    const auto wrong = net.body_from(net.api(via.login("user", secret_string("CANARY2"))));
    CHECK(has(wrong, "407"));
    CHECK(!has(wrong, "CANARY"));
}

TEST_CASE("an https proxy: its own certificate is verified, and TLS goes inside TLS") {
    through_proxy net;
    proxy_peer peer(net.context, net.server->local_port(), net.proxy_tls);
    http::proxy via = net.at(peer, "https");
    peer.wants("user", "CANARY");
    CHECK(net.body_from(net.api(via.login("user", secret_string("CANARY")))) == "GET /hello\n");
    // A large body passes both, piece by piece.
    const auto client = net.open(net.api(via)).value();
    http::request req("POST", "/big");
    req.body = std::string(std::size_t{1} << 20, 'x');
    const auto answer = net.call(*client, req);
    REQUIRE(answer.has_value());
    CHECK(answer->body == "POST /big\n" + req.body);
    // Its name: the certificate is for 127.0.0.1 only.
    http::endpoint named = net.api(http::proxy("https", "localhost", peer.port()));
    const auto why = net.body_from(named);
    CHECK(has(why, "proxy https://localhost:" + std::to_string(peer.port()) + ": "));
    CHECK(has(why, "made out to \"localhost\""));
}

TEST_CASE("SOCKS5: by name and by address, with a login and without") {
    through_proxy net;
    proxy_peer peer(net.context, net.server->local_port());
    http::proxy via = net.at(peer, "socks5");
    CHECK(net.body_from(net.api(via)) == "GET /hello\n");
    const std::string port = std::to_string(net.server->local_port());
    CHECK(peer.asked().back() == "SOCKS api.test:" + port);
    for (const char* address : {"192.0.2.1", "2001:db8::1"}) {
        http::endpoint to = net.api(via);
        to.host = address;
        // The server's certificate is for a name: what matters is what the proxy was asked.
        CHECK(has(net.body_from(to), "made out to"));
        CHECK(peer.asked().back() == "SOCKS " + std::string(address) + ":" + port);
    }
    peer.wants("user", "CANARY");
    CHECK(has(net.body_from(net.api(via)), "it wants a login that was not offered"));
    CHECK(net.body_from(net.api(via.login("user", secret_string("CANARY")))) == "GET /hello\n");
    const auto wrong = net.body_from(net.api(via.login("user", secret_string("CANARY2"))));
    CHECK(has(wrong, "it refuses this user and password"));
    CHECK(!has(wrong, "CANARY"));
    peer.refuses(5);
    CHECK(has(net.body_from(net.api(via.login("user", secret_string("CANARY")))), ": connection refused"));
}

TEST_CASE("a server without TLS is asked for through an http proxy with its whole URL, and through SOCKS as ever") {
    through_proxy net;
    raw_server plain(net.context, {step("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")});
    http::endpoint to("http", "api.test", 8080);
    to.via = http::proxy("http", "127.0.0.1", plain.port()).login("u", secret_string("p"));
    CHECK(net.body_from(to) == "ok");
    CHECK(plain.last_request() ==
          "GET http://api.test:8080/hello HTTP/1.1\r\nHost: api.test:8080\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
    const auto server = net.serve(echo);
    proxy_peer peer(net.context, server->local_port());
    to.via = net.at(peer, "socks5");
    CHECK(net.body_from(to) == "GET /hello\n");
    CHECK(peer.asked().back() == "SOCKS api.test:8080");
}

TEST_CASE("proxies that say no, say nothing, or are none") {
    struct row {
        const char* scheme;
        std::string says;
        const char* text;
    };
    const std::string flood(std::size_t{64} << 10, 'x');
    for (const auto& r :
         {row{"http", "HTTP/1.1 403 Forbidden by\x1b[31m policy\r\n\r\n", "HTTP/1.1 403 Forbidden by\\x1b[31m policy"},
          row{"http", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\nhello", "502 Bad Gateway"},
          row{"http", "HTTP/1.1 200 OK\r\n\r\nhello", "it sent more than an answer to CONNECT"},
          row{"http", "SSH-2.0-OpenSSH\r\n", "its answer is not HTTP"},
          row{"http", "HTTP/1.1 2x0 OK\r\n\r\n", "its answer is not HTTP"},
          row{"http", "HTTP/1.1 200 OK\r\n", "it broke the connection inside its answer"},
          row{"http", "HTTP/1.1 200 OK\r\nX: " + flood, "its answer has no end"},
          row{"http", "", "it closed the connection without an answer"},
          row{"socks5", "HTTP/1.1 400 Bad Request\r\n\r\n", "its answer is not SOCKS5"},
          row{"socks5", "\x05", "it closed the connection without an answer"},
          row{"socks5", "\x05\xff", "it wants a login that was not offered"},
          row{"https", "HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak TLS"}}) {
        CAPTURE(r.says.substr(0, 40));
        through_proxy net;
        silent_peer peer(net.context, r.says, true);
        const auto why = net.body_from(net.api(http::proxy(r.scheme, "127.0.0.1", peer.port())));
        CAPTURE(why);
        CHECK(has(why, std::string("proxy ") + r.scheme + "://127.0.0.1:" + std::to_string(peer.port()) + ": "));
        CHECK(has(why, r.text));
    }
    through_proxy net;
    for (const char* scheme : {"http", "https", "socks5"}) {
        CAPTURE(scheme);
        silent_peer silent(net.context, "", false);
        // measures: the proxy never answers
        const auto why = net.body_from(net.api(http::proxy(scheme, "127.0.0.1", silent.port())),
                                       http::exchange_options().deadline(300ms));
        CHECK(has(why, "in time"));
        CHECK(has(why, std::string("proxy ") + scheme));
    }
    const auto nobody = net.body_from(net.api(http::proxy("http", "127.0.0.1", 1)));
    CHECK(has(nobody, "proxy http://127.0.0.1:1: can't connect to 127.0.0.1 port 1"));
}

TEST_CASE("a request that is stopped while the proxy thinks ends at once") {
    through_proxy net;
    silent_peer silent(net.context, "", false);
    const auto client = net.open(net.api(http::proxy("http", "127.0.0.1", silent.port()))).value();
    std::stop_source stop;
    const auto soon = net.env.make_timer(net.ex());
    // measures: the proxy does not answer before the stop
    soon->async_wait(net.env.now() + 50ms, [&](bool) { stop.request_stop(); });
    const auto answer = net.get(*client, "/", http::exchange_options().stop(stop.get_token()));
    REQUIRE(!answer.has_value());
    CHECK(answer.error() == errc::stopped);
}

TEST_CASE("a server that is not to be verified may show any certificate; authorities beside that are refused") {
    loopback net;
    const auto ca = certificate_authority::create(certificate_options(net.env.wall_now())).value();
    auto expired = ca.issue(certificate_options(net.env.wall_now())
                                .common_name("someone else")
                                .not_before(net.env.wall_now() - 48h)
                                .not_after(net.env.wall_now() - 24h))
                       .value();
    const auto server = net.serve(echo, {}, http::server_tls(std::move(expired.cert_pem), std::move(expired.key_pem)));
    const auto factory = http::make_transport_factory(net.env);
    const http::endpoint to("https", "127.0.0.1", server->local_port());
    const auto verified = factory(net.ex(), to, http::tls_options().ca_pem(ca.cert_pem())).value();
    CHECK(net.get(*verified, "/").error() == errc::tls_failed);
    const auto any = factory(net.ex(), to, http::tls_options().insecure(true)).value();
    CHECK(net.get(*any, "/")->body == "GET /\n");
    const auto both = factory(net.ex(), to, http::tls_options().insecure(true).ca_pem(ca.cert_pem()));
    REQUIRE(!both.has_value());
    CHECK(both.error() == errc::invalid_config);
    // The two have contexts of their own, in whatever order they are made.
    const auto again = factory(net.ex(), to, http::tls_options().ca_pem(ca.cert_pem())).value();
    CHECK(net.get(*again, "/").error() == errc::tls_failed);
}

TEST_CASE("addresses that have to be checked are not asked for through a proxy, which looks them up by itself") {
    through_proxy net;
    proxy_peer peer(net.context, net.server->local_port());
    http::transport_options options;
    auto rules = http::address_rules::public_only();
    REQUIRE(rules.allow("127.0.0.0/8"));
    options.addresses(rules);
    const auto to = net.api(net.at(peer, "http"));
    const auto client =
        http::make_transport_factory(net.env, options)(net.ex(), to, http::tls_options().ca_pem(net.ca.cert_pem()))
            .value();
    const auto refused = net.get(*client, "/hello");
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::invalid_argument);
    CHECK(has(text_of(refused.error()), "\"api.test\" can't be checked behind a proxy"));
    CHECK(peer.asked().empty());
}
