// Whom a client trusts, and whom a server trusts.
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <openssl/crypto.h>

using namespace kcontrol;
using namespace kcontrol::test;
using http::certificate_authority;
using http::certificate_options;
using http::server_tls;

namespace {

class pki : public loopback {
public:
    wall_time now() { return env.wall_now(); }
    certificate_options options() { return certificate_options(now()); }
    certificate_options good() { return options().common_name("server").dns("localhost").ip("127.0.0.1"); }

    server_tls server_with(const certificate_options& o) { return issue(ca, o); }
    static server_tls issue(const certificate_authority& by, const certificate_options& o) {
        auto made = by.issue(o).value();
        return server_tls(std::move(made.cert_pem), std::move(made.key_pem));
    }
    http::tls_options trusting(const certificate_authority& a) {
        http::tls_options t;
        t.ca_pem(a.cert_pem());
        return t;
    }
    result<http::response> get_from(std::uint16_t port, const http::tls_options& tls, std::string host = "127.0.0.1") {
        const auto factory = http::make_transport_factory(env);
        const auto client = factory(ex(), http::endpoint("https", std::move(host), port), tls);
        if (!client) return client.error();
        return get(**client, "/");
    }

    certificate_authority ca = certificate_authority::create(options().common_name("test CA")).value();
    certificate_authority other = certificate_authority::create(options().common_name("other CA")).value();
};

int get_status(pki& net, http::transport& client) {
    const auto answer = net.get(client, "/");
    return answer ? answer->status : 0;
}

// The TLS contexts that this process has now, more than when it was first asked: OpenSSL calls these functions for each
// that it makes and frees.
int present_contexts() {
    static int count = 0;
    static const int index = CRYPTO_get_ex_new_index(
        CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, [](void*, void*, CRYPTO_EX_DATA*, int, long, void*) { ++count; }, nullptr,
        [](void*, void*, CRYPTO_EX_DATA*, int, long, void*) { --count; });
    REQUIRE(index >= 0);
    return count;
}

}  // namespace

TEST_CASE("servers a client refuses, and why") {
    pki net;
    struct row {
        const char* what;
        server_tls server;
        http::tls_options client;
        const char* host;
        const char* text;    // of OpenSSL
        const char* remedy;  // of ours
    };
    http::tls_options system_roots;
    http::tls_options renamed = net.trusting(net.ca);
    renamed.server_name("api.example");
    auto self_signed_ca = certificate_authority::create(net.good()).value();
    const row rows[] = {
        {"wrong CA", net.server_with(net.good()), net.trusting(net.other), "127.0.0.1", "unable to get local issuer",
         "certificate-authority-data"},
        {"no CA given: the system's roots, never none", net.server_with(net.good()), system_roots, "127.0.0.1",
         "unable to get local issuer", "certificate-authority-data"},
        {"expired", net.server_with(net.good().not_after(net.now() - 1h).not_before(net.now() - 2h)),
         net.trusting(net.ca), "127.0.0.1", "certificate has expired", "renew"},
        {"not yet valid", net.server_with(net.good().not_before(net.now() + 1h)), net.trusting(net.ca), "127.0.0.1",
         "not yet valid", "clock"},
        {"other address", net.server_with(net.options().dns("localhost").ip("127.0.0.2")), net.trusting(net.ca),
         "127.0.0.1", "IP address mismatch", "tls-server-name"},
        {"address without IP SAN", net.server_with(net.options().common_name("127.0.0.1").dns("127.0.0.1")),
         net.trusting(net.ca), "127.0.0.1", "IP address mismatch", "127.0.0.1"},
        {"other name", net.server_with(net.options().dns("example.org").ip("127.0.0.1")), net.trusting(net.ca),
         "localhost", "hostname mismatch", "localhost"},
        {"name in CN only", net.server_with(net.options().common_name("localhost")), net.trusting(net.ca), "localhost",
         "hostname mismatch", "tls-server-name"},
        {"partial wildcard", net.server_with(net.options().dns("l*.example")), renamed, "127.0.0.1",
         "hostname mismatch", "api.example"},
        {"wildcard of two labels", net.server_with(net.options().dns("*")), net.trusting(net.ca), "localhost",
         "hostname mismatch", "localhost"},
        {"server_name the certificate lacks", net.server_with(net.good()), renamed, "127.0.0.1", "hostname mismatch",
         "api.example"},
        {"made for clients", net.server_with(net.good().for_client()), net.trusting(net.ca), "127.0.0.1",
         "certificate purpose", "TLS clients accept"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        const auto server = net.serve(echo, {}, row.server);
        const auto got = net.get_from(server->local_port(), row.client, row.host);
        REQUIRE(!got.has_value());
        CHECK(got.error() == errc::tls_failed);
        CHECK_MESSAGE(has(text_of(got.error()), row.text), got.error().what());
        CHECK_MESSAGE(has(text_of(got.error()), row.remedy), got.error().what());
        CHECK(has(text_of(got.error()), std::string("https://") + row.host));
    }
}

TEST_CASE("servers a client accepts") {
    pki net;
    const auto server = net.serve(echo, {}, net.server_with(net.good()));
    CHECK(net.get_from(server->local_port(), net.trusting(net.ca)).value().body == "GET /\n");
    CHECK(net.get_from(server->local_port(), net.trusting(net.ca), "localhost").has_value());

    http::tls_options both = net.trusting(net.other);
    both.ca_pem(both.ca_pem() + "text between\n" + net.ca.cert_pem());
    CHECK(net.get_from(server->local_port(), both).has_value());

    http::tls_options renamed = net.trusting(net.ca);
    renamed.server_name("localhost");
    CHECK(net.get_from(server->local_port(), renamed).has_value());

    const auto wildcard = net.serve(echo, {}, net.server_with(net.options().dns("*.example.org")));
    renamed.server_name("api.example.org");
    CHECK(net.get_from(wildcard->local_port(), renamed).has_value());

    // The server's own certificate given as CA is trusted as it is.
    const auto own = net.server_with(net.good());
    const auto pinned = net.serve(echo, {}, own);
    http::tls_options pin;
    pin.ca_pem(own.cert_pem());
    CHECK(net.get_from(pinned->local_port(), pin).has_value());
    CHECK(net.get_from(server->local_port(), pin).error() == errc::tls_failed);
}

TEST_CASE("client certificates") {
    pki net;
    auto tls = net.server_with(net.good());
    tls.client_ca_pem(net.ca.cert_pem());
    auto strict = tls;
    strict.require_client_certificate(true);
    const auto lenient_server = net.serve(echo, {}, tls);
    const auto strict_server = net.serve(echo, {}, strict);

    auto mine = net.ca.issue(net.options().common_name("alice").organization("devs").for_client()).value();
    http::tls_options with = net.trusting(net.ca);
    with.client_certificate(mine.cert_pem, mine.key_pem);
    for (const auto* server : {&lenient_server, &strict_server}) {
        CHECK(net.get_from((*server)->local_port(), with).value().headers.get("X-Subject") == "alice");
    }
    CHECK(net.get_from(lenient_server->local_port(), net.trusting(net.ca)).value().headers.get("X-Subject") == "");
    const auto without = net.get_from(strict_server->local_port(), net.trusting(net.ca));
    CHECK_MESSAGE(without.error() == errc::tls_failed, without.error().what());
    CHECK(has(text_of(without.error()), "client certificate"));

    auto strange = net.other.issue(net.options().common_name("mallory").for_client()).value();
    http::tls_options wrong = net.trusting(net.ca);
    wrong.client_certificate(strange.cert_pem, strange.key_pem);
    CHECK(net.get_from(strict_server->local_port(), wrong).error() == errc::tls_failed);
    CHECK(net.get_from(lenient_server->local_port(), wrong).error() == errc::tls_failed);

    const auto factory = http::make_transport_factory(net.env);
    const auto client =
        factory(net.ex(), http::endpoint("https", "127.0.0.1", strict_server->local_port()), wrong).value();
    CHECK(net.call(*client, http::request("POST", "/")).error() == errc::tls_failed);
}

TEST_CASE("a name that a certificate has no room for is an error: none is made without it") {
    pki net;
    const std::string fits(certificate_options::max_name, 'x');
    const std::string longer = fits + "x";
    std::string wide;
    for (std::size_t i = 0; i < certificate_options::max_name; ++i) wide += "\u00e4";
    const auto refused = [&](const certificate_options& about) {
        const auto made = net.ca.issue(about);
        if (made) return std::string("none");
        CHECK(made.error() == errc::invalid_argument);
        return made.error().message();
    };
    CHECK(refused(net.good().common_name(fits).organization(wide)) == "none");
    CHECK(refused(net.good().common_name("").organization("")) == "none");
    CHECK_MESSAGE(has(refused(net.good().common_name(longer)), "CN of 65 bytes"),
                  refused(net.good().common_name(longer)));
    CHECK(has(refused(net.good().organization("devs").organization(longer)), "O of 65 bytes"));
    CHECK(has(refused(net.good().common_name("\xff")), "CN of 1 bytes"));
    CHECK(certificate_authority::create(net.options().common_name(longer)).error() == errc::invalid_argument);
}

TEST_CASE("a server's certificate is replaced: open connections stay, new ones get the new one") {
    pki net;
    const auto server = net.serve(echo, {}, net.server_with(net.good()));
    const auto factory = http::make_transport_factory(net.env);
    const auto early =
        factory(net.ex(), http::endpoint("https", "127.0.0.1", server->local_port()), net.trusting(net.ca)).value();
    REQUIRE(get_status(net, *early) == 200);
    REQUIRE(server->replace_tls(pki::issue(net.other, net.good())).has_value());
    CHECK(get_status(net, *early) == 200);
    CHECK(server->accepted() == 1);
    CHECK(net.get_from(server->local_port(), net.trusting(net.ca)).error() == errc::tls_failed);
    CHECK(net.get_from(server->local_port(), net.trusting(net.other)).has_value());

    CHECK(server->replace_tls(server_tls("no certificate", secret_string("no key"))).error() == errc::invalid_config);
    CHECK(net.get_from(server->local_port(), net.trusting(net.other)).has_value());
    const auto plain = net.serve(echo);
    CHECK(plain->replace_tls(net.server_with(net.good())).error() == errc::invalid_argument);
}

TEST_CASE("PEM that can't be used names the setting") {
    pki net;
    const auto good = net.ca.issue(net.options().for_client()).value();
    const auto other = net.ca.issue(net.options().for_client()).value();
    const std::string broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const std::string encrypted =
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
        "AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n"
        "AAAAAAAAAAAAAAAAAAAAAA==\n-----END EC PRIVATE KEY-----\n";
    struct row {
        std::string ca, cert, key;
        const char* setting;
        const char* why;
    };
    const row rows[] = {
        {"no pem", "", "", "CA certificate", "no PEM certificate"},
        {broken, "", "", "CA certificate", "PEM is broken"},
        {net.ca.cert_pem() + broken, "", "", "CA certificate", "PEM is broken"},
        {"", "no pem", std::string(good.key_pem.reveal()), "client certificate", "no PEM certificate"},
        {"", good.cert_pem, "", "client certificate", "key is missing"},
        {"", "", std::string(good.key_pem.reveal()), "client key", "certificate is missing"},
        {"", good.cert_pem, "canary", "client key", "PEM is broken"},
        {"", good.cert_pem, good.cert_pem, "client key", "PEM is broken"},
        {"", good.cert_pem, std::string(other.key_pem.reveal()), "client key", "does not belong"},
        {"", good.cert_pem, encrypted, "client key", "encrypted"},
    };
    const auto factory = http::make_transport_factory(net.env);
    for (const auto& row : rows) {
        http::tls_options tls;
        tls.ca_pem(row.ca);
        tls.client_certificate(row.cert, secret_string(row.key));
        const auto made = factory(net.ex(), http::endpoint("https", "h", 443), tls);
        REQUIRE(!made.has_value());
        CHECK(made.error() == errc::invalid_config);
        CHECK_MESSAGE(has(text_of(made.error()), row.setting), made.error().what());
        CHECK_MESSAGE(has(text_of(made.error()), row.why), made.error().what());
        CHECK(has(text_of(made.error()), "PEM"));
        CHECK(!has(text_of(made.error()), "canary"));
    }
    http::server server(net.env, net.ex(), echo);
    CHECK(server.listen(http::listen_address(), server_tls("x", secret_string("y"))).error() == errc::invalid_config);
    CHECK(net.ca.issue(net.options().ip("not-an-ip")).error() == errc::invalid_argument);
    CHECK(net.ca.issue(net.options().dns("a,DNS:b")).error() == errc::invalid_argument);
}

TEST_CASE("TLS spoken to a plain port, and the other way round") {
    pki net;
    const auto plain = net.serve(echo);
    const auto got = net.get_from(plain->local_port(), net.trusting(net.ca));
    CHECK(got.error() == errc::tls_failed);
    CHECK_MESSAGE(has(text_of(got.error()), "check scheme and port"), got.error().what());
    const auto secure = net.serve(echo, {}, net.server_with(net.good()));
    const auto client = net.connect(secure->local_port());
    CHECK(net.get(*client, "/").value().status == 400);  // and says that TLS is spoken there
}

TEST_CASE("a peer that never answers the handshake") {
    pki net;
    boost::asio::ip::tcp::acceptor mute(net.context, {boost::asio::ip::make_address("127.0.0.1"), 0});
    // measures: the peer never answers
    const auto factory = http::make_transport_factory(net.env, http::transport_options().handshake_timeout(20ms));
    const auto client =
        factory(net.ex(), http::endpoint("https", "127.0.0.1", mute.local_endpoint().port()), net.trusting(net.ca))
            .value();
    const auto got = net.get(*client, "/");
    CHECK(got.error() == errc::timeout);
    CHECK(has(text_of(got.error()), "handshake"));
}

TEST_CASE("TLS connections are kept alive, stream, and carry large bodies") {
    pki net;
    const auto server = net.serve(echo, {}, net.server_with(net.good()));
    const auto factory = http::make_transport_factory(net.env);
    const http::endpoint at("https", "127.0.0.1", server->local_port());
    const auto client = factory(net.ex(), at, net.trusting(net.ca)).value();
    for (int i = 0; i < 100; ++i) REQUIRE(net.get(*client, "/").has_value());
    http::request req("POST", "/");
    req.body.assign(3 << 20, 'x');
    CHECK(net.call(*client, req).value().body.size() == req.body.size() + 7);
    CHECK(server->accepted() == 1);
    const int contexts = present_contexts();
    const auto second = factory(net.ex(), at, net.trusting(net.ca)).value();  // shares the context, not the connection
    CHECK(net.get(*second, "/").has_value());
    CHECK(server->accepted() == 2);
    CHECK(present_contexts() == contexts);
}

TEST_CASE("TLS contexts: one for equal settings, as long as a transport has it") {
    pki net;
    const auto factory = http::make_transport_factory(net.env);
    const auto make = [&](const http::tls_options& tls, const char* host) {
        return factory(net.ex(), http::endpoint("https", host, 443), tls).value();
    };
    const int before = present_contexts();
    auto first = make(net.trusting(net.ca), "one.example");
    CHECK(present_contexts() == before + 1);
    http::tls_options renamed = net.trusting(net.ca);
    const auto second = make(renamed.server_name("other.example"), "two.example");
    CHECK(present_contexts() == before + 1);
    const auto other_ca = make(net.trusting(net.other), "one.example");
    CHECK(present_contexts() == before + 2);
    const auto mine = net.ca.issue(net.options().common_name("alice").for_client()).value();
    http::tls_options with = net.trusting(net.ca);
    auto as_alice = make(with.client_certificate(mine.cert_pem, mine.key_pem), "one.example");
    CHECK(present_contexts() == before + 3);
    as_alice.reset();
    CHECK(present_contexts() == before + 2);
    first.reset();  // the second has it still
    CHECK(present_contexts() == before + 2);
    const http::transport_options usual;
    CHECK(usual.handshake_timeout() == 10s);
    CHECK(usual.max_idle() == 8);
}
