// Servers that speak HTTP/2 over TLS: a proper one whose answers a test says, and one that sends whatever bytes.
#pragma once

#include "transport/fixture.hpp"
#include "transport/http2_bytes.hpp"
#include "transport/http2_side.hpp"
#include "transport/tls_net.hpp"

#include <boost/asio/ssl/stream.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::test {

using tls_socket = boost::asio::ssl::stream<tcp::socket>;

/// Accepts TLS connections, and chooses `protocol` where it is offered.
class alpn_listener {
public:
    using serve = std::function<awaitable<void>(std::shared_ptr<tls_socket>)>;

    alpn_listener(boost::asio::io_context& context, const crooked_certificate& leaf, std::string protocol, serve each,
                  const tls_peer::tune& settings = {})
        : state_(std::make_shared<state>(context, std::move(protocol), std::move(each))) {
        state_->tls.use_certificate_chain(boost::asio::buffer(leaf.pem()));
        state_->tls.use_private_key(boost::asio::buffer(leaf.key_pem()), boost::asio::ssl::context::pem);
        SSL_CTX_set_alpn_select_cb(state_->tls.native_handle(), &choose, state_.get());
        if (settings) settings(state_->tls.native_handle());
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~alpn_listener() { state_->acceptor.close(); }
    alpn_listener(const alpn_listener&) = delete;
    alpn_listener& operator=(const alpn_listener&) = delete;

    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    int connections() const { return state_->connections; }
    /// What the last client offered: "h2,http/1.1", or "" where it offered nothing.
    const std::string& offered() const { return state_->offered; }
    /// From now on.
    void choose(std::string protocol) { state_->protocol = std::move(protocol); }

private:
    struct state {
        state(boost::asio::io_context& context, std::string name, serve each)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
              tls(boost::asio::ssl::context::tls_server),
              protocol(std::move(name)),
              on_connection(std::move(each)) {}
        tcp::acceptor acceptor;
        boost::asio::ssl::context tls;
        std::string protocol, offered;
        serve on_connection;
        int connections = 0;
    };

    static int choose(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned size,
                      void* self) {
        state& s = *static_cast<state*>(self);
        s.offered.clear();
        int answer = SSL_TLSEXT_ERR_NOACK;
        for (unsigned at = 0; at < size; at += in[at] + 1u) {
            const std::string name(reinterpret_cast<const char*>(in) + at + 1, in[at]);
            s.offered.append(s.offered.empty() ? "" : ",").append(name);
            if (name != s.protocol) continue;
            *out = in + at + 1;
            *out_size = in[at];
            answer = SSL_TLSEXT_ERR_OK;
        }
        return answer;
    }

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            ++s->connections;
            s->offered.clear();
            auto peer = std::make_shared<tls_socket>(std::move(socket), s->tls);
            boost::asio::co_spawn(s->acceptor.get_executor(), shake(s, std::move(peer)), boost::asio::detached);
        }
    }

    static awaitable<void> shake(std::shared_ptr<state> s, std::shared_ptr<tls_socket> peer) {
        const auto shaken = co_await peer->async_handshake(boost::asio::ssl::stream_base::server, no_throw);
        if (std::get<0>(shaken)) co_return;
        co_await s->on_connection(peer);
    }

    std::shared_ptr<state> state_;
};

/// A connection of http2_server.
class http2_link : public std::enable_shared_from_this<http2_link> {
public:
    http2_link(std::shared_ptr<tls_socket> s, const std::vector<nghttp2_settings_entry>& settings)
        : side(settings), socket(std::move(s)) {}

    /// Sends what the side has to say.
    awaitable<void> flush() {
        if (writing || mute) co_return;
        writing = true;
        for (std::string out = side.take_output(); !out.empty() && open; out = side.take_output()) {
            const auto sent = co_await boost::asio::async_write(*socket, boost::asio::buffer(out), no_throw);
            if (std::get<0>(sent)) open = false;
        }
        writing = false;
    }
    void flush_later() {
        boost::asio::co_spawn(socket->get_executor(), flush_kept(shared_from_this()), boost::asio::detached);
    }
    /// Without a goodbye.
    void cut() {
        boost::system::error_code ignored;
        socket->next_layer().close(ignored);
        open = false;
    }

    http2_side side;
    std::shared_ptr<tls_socket> socket;
    bool open = true, writing = false;
    bool mute = false;  ///< it hears, and says nothing

private:
    static awaitable<void> flush_kept(std::shared_ptr<http2_link> self) { co_await self->flush(); }
};

class http2_server {
public:
    std::function<void(http2_side&, const http2_call&)> on_call;
    std::vector<nghttp2_settings_entry> settings;

    http2_server(boost::asio::io_context& context, const crooked_certificate& leaf, const tls_peer::tune& tls = {})
        : listener(
              context, leaf, "h2", [this](std::shared_ptr<tls_socket> s) { return serve(std::move(s)); }, tls) {}

    ~http2_server() {
        for (const auto& one : links) one->cut();
    }

    std::uint16_t port() const { return listener.port(); }
    int connections() const { return listener.connections(); }
    std::size_t open() const {
        return static_cast<std::size_t>(
            std::count_if(links.begin(), links.end(), [](const auto& one) { return one->open; }));
    }

    alpn_listener listener;
    std::vector<std::shared_ptr<http2_link>> links;
    int calls = 0;

private:
    awaitable<void> serve(std::shared_ptr<tls_socket> socket) {
        const auto kept = std::make_shared<http2_link>(std::move(socket), settings);
        links.push_back(kept);
        http2_link& link = *kept;
        const auto usual = link.side.on_call;
        link.side.on_call = [this, usual](http2_side& side, const http2_call& call) {
            ++calls;
            on_call ? on_call(side, call) : usual(side, call);
        };
        std::string buffer(1 << 16, '\0');
        co_await link.flush();
        while (link.open) {
            const auto outcome = co_await link.socket->async_read_some(boost::asio::buffer(buffer), no_throw);
            const auto& [failure, n] = outcome;
            if (failure || !link.open || !link.side.feed(std::string_view(buffer).substr(0, n))) break;
            co_await link.flush();
        }
        link.cut();
    }
};

/// A network with one certificate tree, and clients that trust it.
class http2_net : public tls_net {
public:
    std::shared_ptr<http::transport> client(std::uint16_t port, http::transport_options options = {}) {
        http::tls_options tls;
        tls.ca_pem(all.root.pem());
        const auto factory = http::make_transport_factory(env, options.http2(true));
        return factory(ex(), http::endpoint("https", "127.0.0.1", port), tls).value();
    }
    tree all;
};

}  // namespace kcontrol::test
