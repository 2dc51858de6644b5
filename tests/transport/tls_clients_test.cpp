// Clients that a server of ours must not let in.
#include "transport/tls_refusals.hpp"

#include <algorithm>
#include <functional>
#include <memory>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// What a client that is no HTTP client of ours gets from a server: "" if no byte inside of TLS came back.
awaitable<std::string> talk(std::uint16_t port, boost::asio::ssl::context& tls, std::string text, bool again) {
    boost::asio::ssl::stream<tcp::socket> peer(co_await boost::asio::this_coro::executor, tls);
    const tcp::endpoint to(boost::asio::ip::make_address("127.0.0.1"), port);
    co_await peer.next_layer().async_connect(to, no_throw);
    const auto shaken = co_await peer.async_handshake(boost::asio::ssl::stream_base::client, no_throw);
    if (std::get<0>(shaken)) co_return "";
    if (again) {
        SSL_renegotiate(peer.native_handle());
        const auto renewed = co_await peer.async_handshake(boost::asio::ssl::stream_base::client, no_throw);
        if (!std::get<0>(renewed) && SSL_num_renegotiations(peer.native_handle()) == 0) co_return "not tried";
        if (std::get<0>(renewed)) co_return "";
    }
    co_await boost::asio::async_write(peer, boost::asio::buffer(text), no_throw);
    char buffer[4096];
    const auto outcome = co_await peer.async_read_some(boost::asio::buffer(buffer), no_throw);
    co_return std::string(buffer, std::get<1>(outcome));
}

// The first message of a client of TLS 1.2: in 1.3 a server reads no alert in the clear after it.
std::string client_hello() {
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
    SSL_CTX_set_max_proto_version(context.native_handle(), TLS1_2_VERSION);
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.native_handle()), &SSL_free);
    BIO* const out = BIO_new(BIO_s_mem());
    SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), out);
    SSL_connect(tls.get());
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(std::max(BIO_read(out, text.data(), static_cast<int>(text.size())), 0)));
    return text;
}

}  // namespace

TEST_CASE("clients that a server refuses: no request of theirs reaches a handler, and the server goes on") {
    refusals net;
    const crooked_certificate other{certificate_text().name("other").authority()};
    const auto person = [] { return certificate_text().name("mallory").usage("clientAuth").alternatives(""); };
    struct row {
        const char* what;
        std::string chain, key;
    };
    std::vector<row> rows{{"no certificate", "", ""}};
    const auto add = [&](const char* what, const certificate_text& text, const crooked_certificate* by) {
        const crooked_certificate made(text, by);
        rows.push_back({what, made.pem(), made.key_pem()});
    };
    add("of another authority", person(), &other);
    add("self-signed", person(), nullptr);
    add("expired", person().valid(-7200, -1), &net.root);
    add("not yet valid", person().valid(3600, 7200), &net.root);
    add("made for servers", person().usage("serverAuth"), &net.root);
    add("its key may only sign certificates", person().extension(NID_key_usage, "critical,keyCertSign"), &net.root);
    add("a critical extension that nobody knows", person().riddle(), &net.root);
    const crooked_certificate issuer{certificate_text().name("no authority"), &net.root};
    const crooked_certificate below{person(), &issuer};
    rows.push_back({"its issuer is no authority", below.pem() + issuer.pem(), below.key_pem()});
    const crooked_certificate between{certificate_text().name("between").authority(), &net.root};
    const crooked_certificate deep{person(), &between};
    rows.push_back({"the intermediate is missing", deep.pem(), deep.key_pem()});
    const crooked_certificate good{person().name("alice"), &net.root};
    rows.push_back({"changed after it was signed", good.tampered_pem(), good.key_pem()});

    http::server_tls strict(net.leaf.pem(), secret_string(net.leaf.key_pem()));
    strict.client_ca_pem(net.root.pem()).require_client_certificate(true);
    int handled = 0;
    const auto server = net.serve(
        [&](http::server_request req, http::responder& out) {
            ++handled;
            return echo(std::move(req), out);
        },
        {}, strict);
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        http::tls_options tls;
        tls.ca_pem(net.root.pem()).client_certificate(row.chain, secret_string(row.key));
        const auto client =
            net.factory()(net.ex(), http::endpoint("https", "127.0.0.1", server->local_port()), tls).value();
        for (const char* method : {"GET", "POST"}) {
            const auto got = net.call(*client, refusals::secret_request(method));
            REQUIRE(!got.has_value());
            CHECK_MESSAGE(got.error() == errc::tls_failed, got.error().what());
            CHECK_MESSAGE(has(text_of(got.error()), "check the client certificate and key"), got.error().what());
            CHECK(has(text_of(got.error()), "https://127.0.0.1:" + std::to_string(server->local_port())));
        }
    }
    CHECK(handled == 0);

    const auto whole = [&](boost::asio::ssl::context& tls) {
        tls.use_certificate_chain(boost::asio::buffer(good.pem()));
        tls.use_private_key(boost::asio::buffer(good.key_pem()), boost::asio::ssl::context::pem);
    };
    struct tuned {
        const char* what;
        std::function<void(SSL_CTX*)> settings;
        bool again = false;
    };
    const tuned peers[] = {
        {"TLS 1.0", [](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_VERSION); }},
        {"TLS 1.1", [](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_1_VERSION); }},
        {"no certificates",
         [](SSL_CTX* c) {
             SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
             REQUIRE(SSL_CTX_set_cipher_list(c, "aNULL:@SECLEVEL=0") == 1);
         }},
        {"no encryption",
         [](SSL_CTX* c) {
             SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
             REQUIRE(SSL_CTX_set_cipher_list(c, "eNULL:@SECLEVEL=0") == 1);
         }},
        {"signatures with SHA-1",
         [](SSL_CTX* c) {
             SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
             REQUIRE(SSL_CTX_set1_sigalgs_list(c, "ECDSA+SHA1") == 1);
         }},
        {"its key is somebody else's", [&](SSL_CTX* c) { other.take_over(SSL_CTX_get0_certificate(c), net.root); }},
        {"a chain of 1000",
         [&](SSL_CTX* c) {
             X509* const one = SSL_CTX_get0_certificate(c);
             for (int i = 0; i < 1000; ++i) SSL_CTX_add1_chain_cert(c, one);
         }},
        {"it renegotiates", [](SSL_CTX* c) { SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION); }, true},
    };
    for (const auto& peer : peers) {
        CAPTURE(std::string(peer.what));
        boost::asio::ssl::context tls(boost::asio::ssl::context::tls_client);
        SSL_CTX_set_security_level(tls.native_handle(), 0);
        SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_VERSION);
        whole(tls);
        peer.settings(tls.native_handle());
        std::string back = "?";
        run(net.context,
            [](std::uint16_t port, boost::asio::ssl::context& with, bool again, std::string& out) -> awaitable<void> {
                std::string req = "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer canary\r\n\r\n";
                out = co_await talk(port, with, std::move(req), again);
            }(server->local_port(), tls, peer.again, back));
        CHECK(back.empty());
    }
    CHECK(handled == 0);

    using namespace bytes;
    const std::string texts[] = {
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "\x80\x2e\x01\x00\x02" + std::string(41, 'x'),  // SSL 2
        std::string(100, '\0'),
        record(99, "abc"),
        "\x16\x03\x01\xff\xff" + std::string(70'000, 'x'),
        record(handshake, message(1, std::string(10, 'c'))),
        record(handshake, std::string("\x01\xff\xff\xff", 4) + std::string(1000, 'c')),
        record(application, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        alert(40),
        alert(0, 1),
    };
    for (const auto& text : texts) {
        std::string back;
        run(net.context, [](std::uint16_t port, std::string send, std::string& out) -> awaitable<void> {
            out = co_await exchange_raw(port, std::move(send));
        }(server->local_port(), text, back));
        CHECK(!has(back, "HTTP/1.1 200"));
    }
    CHECK(handled == 0);

    http::tls_options tls;
    tls.ca_pem(net.root.pem()).client_certificate(good.pem(), secret_string(good.key_pem()));
    const auto client =
        net.factory()(net.ex(), http::endpoint("https", "127.0.0.1", server->local_port()), tls).value();
    CHECK(net.get(*client, "/").value().headers.get("X-Subject") == "alice");
    CHECK(handled == 1);
    const std::size_t all = rows.size() + std::size(peers) + std::size(texts);
    MESSAGE(all << " clients were refused");
}

TEST_CASE("who speaks plain HTTP to a port of TLS is told so") {
    refusals net;
    const auto server = net.serve(echo, {}, http::server_tls(net.leaf.pem(), secret_string(net.leaf.key_pem())));
    const auto ask = [&](std::string text) {
        std::string back;
        run(net.context, [](std::uint16_t port, std::string send, std::string& out) -> awaitable<void> {
            out = co_await exchange_raw(port, std::move(send));
        }(server->local_port(), std::move(text), back));
        return back;
    };
    const std::string answer = ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string text = "This port speaks TLS: ask with https:// in place of http:// .\r\n";
    CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    CHECK(answer.find("Content-Length: " + std::to_string(text.size()) + "\r\n") != std::string::npos);
    CHECK(answer.ends_with("\r\n\r\n" + text));
    // What is neither gets TLS's word, or none.
    CHECK_FALSE(ask("\x01\x02\x03\x04\x05\x06\x07\x08\r\n\r\n").starts_with("HTTP"));
}

TEST_CASE("an alert that ends a handshake is told to those who debug, also one that nobody has a word for") {
    refusals net;
    std::string told;
    const logger log(
        [&](const log_record& r) {
            for (const auto& field : r.fields) told += std::string(r.message) + ": " + field.value + "\n";
        },
        log_level::debug);
    http::server server(net.env, net.ex(), echo, {}, log);
    REQUIRE(server.listen(http::listen_address("127.0.0.1", 0),
                          http::server_tls(net.leaf.pem(), secret_string(net.leaf.key_pem()))));
    server.start();
    for (const int code : {40, 250}) {
        run(net.context, [](std::uint16_t port, int alert) -> awaitable<void> {
            co_await exchange_raw(port, client_hello() + bytes::alert(alert));
        }(server.local_port(), code));
    }
    CHECK_MESSAGE(has(told, "TLS handshake failed: "), told);
    CHECK_MESSAGE(has(told, "handshake failure"), told);
    CHECK_MESSAGE(has(told, "TLS alert 250 (unknown)"), told);
}
