// TLS that must not come about, beyond the certificates of tls_matrix_test.cpp: servers that say what no TLS library
// would, settings that are none, and connections that break after the handshake.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "simulation/widget.hpp"
#include "transport/tls_refusals.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string number_hex(std::size_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "%zx", value);
    return text;
}

}  // namespace

TEST_CASE("servers whose handshake is none: refused by every kind of call, in bounded time, and told nothing") {
    using namespace bytes;
    using enum server::after;
    struct row {
        const char* what;
        std::string text;  // what the server sends
        server::after then;
        errc code;
        const char* why;  // a part of the error
        bool at_once = false;
    };
    const std::string ordinary = server_hello();
    hello compressed, no_info, downgraded;
    compressed.compression = 1;
    no_info.renegotiation_info = false;
    downgraded.end_of_random = std::string("DOWNGRD\x01", 8);
    const auto chosen = [](int cipher) {
        hello h;
        h.cipher = cipher;
        return server_hello(h);
    };
    const auto version = [](int v) {
        hello h;
        h.version = v;
        return server_hello(h);
    };
    const std::string garbage_certificate = number(7, 3) + number(4, 3) + "junk";
    std::string empties;
    for (int i = 0; i < 100; ++i) empties += record(handshake, "");
    const row rows[] = {
        {"it hangs up at once", "", finish, errc::connection_lost, "closed the connection during", true},
        {"it hangs up after the first message", "", finish, errc::connection_lost, "closed the connection during"},
        {"it resets the connection", "", reset, errc::connection_lost, "during the TLS handshake"},
        {"it stops inside of its first record", ordinary.substr(0, 20), finish, errc::connection_lost, "during"},
        {"it stops after its first message", ordinary, finish, errc::connection_lost, "during"},
        {"it never says anything", "", stay, errc::timeout, "handshake was not complete in time"},
        {"it says nothing after its first message", ordinary, stay, errc::timeout, "not complete in time"},
        {"it stops inside of a record for ever", ordinary.substr(0, 3), stay, errc::timeout, "not complete in time"},
        {"HTTP", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", finish, errc::tls_failed,
         "does not speak TLS"},
        {"mail", "220 mail.example.org ESMTP\r\n", finish, errc::tls_failed, "does not speak TLS", true},
        {"a shell", "SSH-2.0-OpenSSH_9.2\r\n", finish, errc::tls_failed, "does not speak TLS", true},
        {"zeros", std::string(64, '\0'), finish, errc::tls_failed, "TLS handshake failed"},
        {"noise", "\x8e\x12\x9f\x03\xe5\xff\x01\x7a\x7b\xc3", finish, errc::tls_failed, "TLS handshake failed"},
        {"a kind of record that does not exist", record(99, "abc"), finish, errc::tls_failed, "TLS handshake failed"},
        {"a record that is too long", "\x16\x03\x03\xff\xff" + std::string(70'000, 'x'), finish, errc::tls_failed,
         "TLS handshake failed"},
        {"a message that is too long", record(handshake, std::string("\x02\xff\xff\xff", 4) + std::string(100, 'x')),
         finish, errc::tls_failed, "TLS handshake failed"},
        {"records without content", empties, finish, errc::tls_failed, "TLS handshake failed"},
        {"an answer before the handshake", record(application, "HTTP/1.1 200 OK\r\n\r\n"), finish, errc::tls_failed,
         "TLS handshake failed"},
        {"a change of ciphers first", record(change_cipher, "\x01"), finish, errc::tls_failed, "unexpected message"},
        {"the end of the handshake first", record(handshake, message(20, std::string(12, 'f'))), finish,
         errc::tls_failed, "unexpected message"},
        {"its keys before its certificate", ordinary + record(handshake, message(12, std::string(40, 'k'))), finish,
         errc::tls_failed, "TLS handshake failed"},
        {"SSL 3.0", version(0x0300), finish, errc::tls_failed, "TLS handshake failed"},
        {"TLS 1.0", version(0x0301), finish, errc::tls_failed, "unsupported protocol"},
        {"a version of the future", version(0x0399), finish, errc::tls_failed, "TLS handshake failed"},
        {"an export cipher", chosen(0x0003), finish, errc::tls_failed, "cipher"},
        {"RC4", chosen(0x0005), finish, errc::tls_failed, "cipher"},
        {"3DES", chosen(0x000a), finish, errc::tls_failed, "cipher"},
        {"no encryption", chosen(0x003b), finish, errc::tls_failed, "cipher"},
        {"no certificates", chosen(0x0034), finish, errc::tls_failed, "cipher"},
        {"a cipher of TLS 1.3 in TLS 1.2", chosen(0x1301), finish, errc::tls_failed, "cipher"},
        {"a cipher that does not exist", chosen(0xfefe), finish, errc::tls_failed, "cipher"},
        {"compression", server_hello(compressed), finish, errc::tls_failed, "compression"},
        {"renegotiation of the old kind", server_hello(no_info), finish, errc::tls_failed, "renegotiation"},
        {"a newer version was taken out on the way", server_hello(downgraded), finish, errc::tls_failed,
         "TLS handshake failed"},
        {"no certificate at all", ordinary + record(handshake, message(11, number(0, 3))), finish, errc::tls_failed,
         "TLS handshake failed"},
        {"a certificate that is none", ordinary + record(handshake, message(11, garbage_certificate)), finish,
         errc::tls_failed, "TLS handshake failed"},
        {"an alert at once: handshake failure", alert(40), finish, errc::tls_failed, "handshake failure"},
        {"an alert at once: protocol version", alert(70), finish, errc::tls_failed, "protocol version"},
        {"an alert at once: access denied", alert(49), finish, errc::tls_failed, "access denied"},
        {"an alert at once: insufficient security", alert(71), finish, errc::tls_failed, "insufficient security"},
        {"an alert at once: no application protocol", alert(120), finish, errc::tls_failed, "no application protocol"},
        {"an alert that does not exist", alert(250), finish, errc::tls_failed, "TLS alert 250 (unknown)"},
        {"an alert after the first message", ordinary + alert(80), finish, errc::tls_failed, "internal error"},
        {"goodbye instead of a handshake", alert(0, 1), finish, errc::connection_lost, "during"},
        {"goodbye after the first message", ordinary + alert(0, 1), finish, errc::connection_lost, "during"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        refusals net;
        server peer(net.context, row.text, row.then, row.at_once);
        http::tls_options tls;
        tls.ca_pem(net.root.pem());
        const auto ends = net.ask(peer.port(), tls, row.then == stay ? 20ms : 1min);  // measures: it goes on no more
        for (const auto& why : ends) {
            CHECK_MESSAGE(why == row.code, why.what());
            CHECK_MESSAGE(has(text_of(why), row.why), why.what());
            CHECK(has(text_of(why), "https://127.0.0.1:" + std::to_string(peer.port())));
            CHECK(!has(text_of(why), "canary"));
        }
        CHECK(ends.size() == 4);
        CHECK(peer.connections() == 4);  // none was tried twice
        CHECK(!has(peer.seen(), "canary"));
        CHECK(!has(peer.seen(), "HTTP/1.1"));
        net.context.restart();
        net.context.poll();
    }
    MESSAGE(std::size(rows) << " servers were refused");
}

TEST_CASE("what is given as certificates and keys, and is none: refused before anybody is asked") {
    refusals net;
    const crooked_certificate other{certificate_text()};
    struct row {
        const char* what;
        std::string ca, chain, key;
        const char* why;
    };
    const std::string good = net.leaf.pem(), key = net.leaf.key_pem();
    const row rows[] = {
        {"a CA of white space", "\n \n", "", "", "it holds no PEM certificate"},
        {"a CA that is noise", std::string("\x30\x82\0\x01", 4), "", "", "it holds no PEM certificate"},
        {"a private key in place of the CA", key, "", "", "it holds no PEM certificate"},
        {"a CA that is cut", good.substr(0, good.size() / 2), "", "", "its PEM is broken"},
        {"a key that does not fit", "", good, other.key_pem(), "does not belong"},
        {"no key", "", good, "", "its key is missing"},
        {"a key alone", "", "", key, "its certificate is missing"},
        {"an encrypted key", "", good, net.leaf.encrypted_key_pem("canary"), "it is encrypted"},
        {"a certificate in place of the key", "", good, good, "not a private key"},
        {"a key that is cut", "", good, key.substr(0, key.size() / 2), "not a private key"},
        {"a key in place of the certificate", "", key, key, "it holds no PEM certificate"},
        {"a weak certificate of one's own", "", crooked_certificate(certificate_text().rsa(1024)).pem(), key, "too "},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        http::tls_options tls;
        tls.ca_pem(row.ca).client_certificate(row.chain, secret_string(row.key));
        const auto made = net.factory()(net.ex(), http::endpoint("https", "127.0.0.1", 1), tls);
        REQUIRE(!made.has_value());
        CHECK(made.error() == errc::invalid_config);
        CHECK_MESSAGE(has(text_of(made.error()), row.why), made.error().what());
        CHECK(!has(text_of(made.error()), "canary"));
        CHECK(!has(text_of(made.error()), "PRIVATE KEY-----\nM"));
    }
}

TEST_CASE("TLS that breaks after the request: no end of a body or watch, no success of a write, nothing sent twice") {
    using namespace bytes;
    using enum tls_peer::end;
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string event = R"({"type":"ADDED","object":{"apiVersion":"test.kcontrol.dev/v1","kind":"Widget",)"
                              R"("metadata":{"name":"a","namespace":"default","resourceVersion":"7"}}})"
                              "\n";
    const std::string begun = head + number_hex(event.size()) + "\r\n" + event + "\r\n";
    struct row {
        const char* what;
        tls_peer::end how;
        std::string raw;
        errc code;  // of a body
    };
    const row rows[] = {
        {"FIN without close_notify", cut, "", errc::truncated},
        {"close_notify", proper, "", errc::truncated},
        {"noise", raw, "\x8e\x12\x9f\x03\xe5\xff\x01\x7a\x7b\xc3", errc::connection_lost},
        {"HTTP outside of TLS", raw, "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", errc::connection_lost},
        {"the end of the body, in a record that nobody signed", raw,
         record(application, "0\r\n\r\n" + std::string(40, '\0')), errc::connection_lost},
        {"an alert that nobody signed", raw, alert(40), errc::connection_lost},
        {"close_notify that nobody signed", raw, alert(0, 1), errc::connection_lost},
        {"a record that is too long", raw, "\x17\x03\x03\xff\xff" + std::string(70'000, 'x'), errc::connection_lost},
        {"renegotiation", renegotiated, "", errc::connection_lost},
    };
    for (const auto& row : rows) {
        for (const int newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            if (row.how == renegotiated && newest == TLS1_3_VERSION) continue;
            CAPTURE(std::string(row.what));
            CAPTURE(newest);
            refusals net;
            tls_peer peer(net.context, net.leaf.pem(), net.leaf.key_pem(), begun, row.how, newest);
            peer.raw(row.raw);
            http::tls_options tls;
            tls.ca_pem(net.root.pem());
            const auto client = net.factory()(net.ex(), http::endpoint("https", "127.0.0.1", peer.port()), tls).value();
            const auto read = net.get(*client, "/");
            REQUIRE(!read.has_value());
            CHECK_MESSAGE(read.error() == row.code, read.error().what());
            const auto written = net.call(*client, http::request("POST", "/"));
            CHECK_MESSAGE(written.error() == errc::unknown_outcome, written.error().what());
            CHECK(has(text_of(written.error()), "https://127.0.0.1"));
            CHECK(peer.requests() == 2);

            int events = 0;
            error ended;
            auth::cluster_config config;
            config.server(http::endpoint("https", "127.0.0.1", peer.port())).tls(tls);
            auto watcher = kcontrol::client::connect(net.env, net.ex(), config, net.factory()).value();
            run(net.context, [](kcontrol::client from, int& count, error& why) -> awaitable<void> {
                auto opened = co_await from.watch(resource_of<widget>(), watch_options());
                REQUIRE(opened.has_value());
                for (;;) {
                    const auto next = co_await (*opened)->next({});
                    if (!next) why = next.error();
                    if (!next || next->type == watch_event_type::end) co_return;
                    ++count;
                }
            }(watcher, events, ended));
            CHECK(events == 1);
            CHECK_MESSAGE(ended == row.code, ended.what());
            CHECK(peer.requests() == 3);
            CHECK(peer.renegotiations() == 0);
        }
    }
}
