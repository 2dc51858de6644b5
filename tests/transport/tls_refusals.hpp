// A client that asks in every way that there is, for tests of what TLS must not let come about.
#pragma once

#include "transport/fixture.hpp"
#include "transport/tls_bytes.hpp"
#include "transport/tls_peer.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class refusals : public loopback {
public:
    http::transport_factory factory(duration patience = 1min) {
        return http::make_transport_factory(env, http::transport_options().handshake_timeout(patience));
    }
    static http::request secret_request(std::string method) {
        http::request out(std::move(method), "/");
        out.headers.set("Authorization", "Bearer canary");
        return out;
    }

    /// How each way to send something ends: a read, a write, a stream, a WebSocket.
    std::vector<error> ask(std::uint16_t port, const http::tls_options& tls, duration patience = 1min) {
        const auto client = factory(patience)(ex(), http::endpoint("https", "127.0.0.1", port), tls).value();
        std::vector<error> out;
        for (const char* method : {"GET", "POST"}) {
            const auto got = call(*client, secret_request(method));
            REQUIRE(!got.has_value());
            out.push_back(got.error());
        }
        run(context, [](http::transport& to, std::vector<error>& errors) -> awaitable<void> {
            http::request req = secret_request("GET");
            auto opened = co_await to.open_stream(req, http::exchange_options());
            REQUIRE(!opened.has_value());
            errors.push_back(opened.error());
            auto socket = co_await to.open_websocket(req, http::exchange_options());
            REQUIRE(!socket.has_value());
            errors.push_back(socket.error());
        }(*client, out));
        return out;
    }

    crooked_certificate root{certificate_text().name("root").authority()};
    crooked_certificate leaf{certificate_text(), &root};
};

}  // namespace kcontrol::test
