// Names that must be asked for, and TLS that ends without saying so: S02 of reliability's security plan and F24 of its
// table of failures, over sockets.
#include "transport/tls_net.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE("S02 the name that is asked for and the name that is verified are one") {
    tree all;
    struct row {
        const char* host;
        const char* name;  // tls-server-name
        const char* certificate;
        const char* asked;  // "-": none
        bool accepted;
    };
    const row rows[] = {
        {"127.0.0.1", "", "IP:127.0.0.1", "-", true},
        {"127.0.0.1", "", "DNS:localhost", "", false},
        {"localhost", "", "DNS:localhost", "localhost", true},
        {"localhost", "", "IP:127.0.0.1", "", false},
        {"127.0.0.1", "api.example.org", "DNS:api.example.org", "api.example.org", true},
        {"127.0.0.1", "api.example.org", "IP:127.0.0.1", "", false},
        {"localhost", "api.example.org", "DNS:localhost", "", false},
        {"localhost", "api.example.org", "DNS:api.example.org", "api.example.org", true},
        {"localhost", "127.0.0.1", "IP:127.0.0.1", "-", true},
        {"localhost", "127.0.0.1", "DNS:127.0.0.1", "", false},
        {"localhost", "::1", "IP:::1", "-", true},
        {"localhost", "10.1.2.3", "DNS:localhost,IP:127.0.0.1", "", false},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.host) + " as \"" + row.name + "\" with " + row.certificate);
        const crooked_certificate made(certificate_text().alternatives(row.certificate), &all.root);
        tls_net net;
        tls_peer peer(net.context, made.pem(), made.key_pem(), small);
        const auto got = net.get_from(peer, all.root.pem(), row.name, row.host);
        CHECK(got.has_value() == row.accepted);
        if (!row.accepted) CHECK(got.error() == errc::tls_failed);
        if (row.accepted) CHECK(peer.asked_for() == row.asked);
    }
}

TEST_CASE("F24 TLS that ends with close_notify, and without") {
    tree all;
    using enum tls_peer::end;
    const std::string head = "HTTP/1.1 200 OK\r\n";
    const std::string chunks = head + "Transfer-Encoding: chunked\r\n\r\n";
    struct row {
        const char* what;
        std::string answer;
        tls_peer::end how;
        bool complete;
    };
    const row rows[] = {
        {"a length, all of it", head + "Content-Length: 5\r\n\r\nhello", proper, true},
        {"a length, all of it", head + "Content-Length: 5\r\n\r\nhello", cut, true},
        {"a length, half of it", head + "Content-Length: 9\r\n\r\nhello", proper, false},
        {"a length, half of it", head + "Content-Length: 9\r\n\r\nhello", cut, false},
        {"chunks, all of them", chunks + "5\r\nhello\r\n0\r\n\r\n", proper, true},
        {"chunks, all of them", chunks + "5\r\nhello\r\n0\r\n\r\n", cut, true},
        {"between two chunks", chunks + "5\r\nhello\r\n", proper, false},
        {"between two chunks", chunks + "5\r\nhello\r\n", cut, false},
        {"inside a chunk", chunks + "9\r\nhello", proper, false},
        {"inside a chunk", chunks + "9\r\nhello", cut, false},
        {"in the last chunk", chunks + "5\r\nhello\r\n0\r\n", cut, false},
        {"until the end", head + "\r\nhello", proper, true},
        {"until the end", head + "\r\nhello", cut, false},
        {"nothing", "", proper, false},
        {"nothing", "", cut, false},
        {"half a head", head + "Content-", cut, false},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what) + (row.how == cut ? ", cut" : ", proper"));
        tls_net net;
        tls_peer peer(net.context, all.leaf.pem(), all.leaf.key_pem(), row.answer, row.how);
        const auto got = net.get_from(peer, all.root.pem());
        CHECK(got.has_value() == row.complete);
        if (got) CHECK(got->body == "hello");
        if (!got) {
            const errc expected = row.answer.empty() ? errc::connection_lost : errc::truncated;
            CHECK_MESSAGE(got.error() == expected, got.error().what());
        }
    }
}
