// A proxy: CONNECT and SOCKS5 on one port, with or without TLS, whatever server it is asked for; and peers that only
// say something, or nothing.
#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include "transport/raw_peer.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace kcontrol::test {

class proxy_peer {
public:
    /// Whatever is asked for, the way leads to that port of this machine.
    proxy_peer(boost::asio::io_context& context, std::uint16_t to, const std::optional<http::server_tls>& tls = {})
        : state_(std::make_shared<state>(context, to)) {
        if (tls) {
            state_->tls.emplace(boost::asio::ssl::context::tls_server);
            state_->tls->use_certificate_chain(boost::asio::buffer(tls->cert_pem()));
            state_->tls->use_private_key(boost::asio::buffer(tls->key_pem().reveal()), boost::asio::ssl::context::pem);
        }
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~proxy_peer() { state_->acceptor.close(); }

    void wants(std::string user, std::string password) {
        state_->user = std::move(user);
        state_->password = std::move(password);
    }
    /// Answers requests of SOCKS with that code.
    void refuses(int code) { state_->refusal = code; }

    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    const std::vector<std::string>& asked() const { return state_->asked; }
    const std::string& last_head() const { return state_->head; }

private:
    struct state {
        state(boost::asio::io_context& context, std::uint16_t port)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)), to(port) {}
        tcp::acceptor acceptor;
        std::uint16_t to;
        std::optional<boost::asio::ssl::context> tls;
        std::string user, password, head;
        int refusal = 0;
        std::vector<std::string> asked;
    };

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            boost::asio::co_spawn(s->acceptor.get_executor(), serve(s, std::move(socket)), boost::asio::detached);
        }
    }

    static awaitable<void> serve(std::shared_ptr<state> s, tcp::socket socket) {
        if (!s->tls) {
            co_await pass_on(s, std::make_shared<tcp::socket>(std::move(socket)));
            co_return;
        }
        auto secured = std::make_shared<boost::asio::ssl::stream<tcp::socket>>(std::move(socket), *s->tls);
        const auto shaken = co_await secured->async_handshake(boost::asio::ssl::stream_base::server, no_throw);
        if (!std::get<0>(shaken)) co_await pass_on(s, secured);
    }

    template <class Stream>
    static awaitable<std::string> take(Stream& from, std::size_t bytes) {
        std::string text(bytes, '\0');
        const auto outcome = co_await boost::asio::async_read(from, boost::asio::buffer(text), no_throw);
        if (std::get<0>(outcome)) text.clear();
        co_return text;
    }

    template <class Stream>
    static awaitable<void> say(Stream& to, std::string text) {
        co_await boost::asio::async_write(to, boost::asio::buffer(text), no_throw);
    }

    template <class Stream>
    static awaitable<void> pass_on(std::shared_ptr<state> s, std::shared_ptr<Stream> client) {
        const std::string first = co_await take(*client, 1);
        if (first.empty()) co_return;
        bool open = false;
        if (first[0] == 5) {
            open = co_await socks(*s, *client);
        } else {
            open = co_await connect(*s, *client, first);
        }
        if (!open) co_return;
        auto server = std::make_shared<tcp::socket>(client->get_executor());
        const tcp::endpoint to(boost::asio::ip::make_address("127.0.0.1"), s->to);
        const auto reached = co_await server->async_connect(to, no_throw);
        if (std::get<0>(reached)) co_return;
        boost::asio::co_spawn(client->get_executor(), pump(client, server), boost::asio::detached);
        co_await pump(server, client);
    }

    template <class From, class To>
    static awaitable<void> pump(std::shared_ptr<From> from, std::shared_ptr<To> to) {
        std::string buffer(16384, '\0');
        for (;;) {
            const auto got = co_await from->async_read_some(boost::asio::buffer(buffer), no_throw);
            const auto n = std::get<1>(got);
            if (n != 0) {
                const auto sent =
                    co_await boost::asio::async_write(*to, boost::asio::buffer(buffer.data(), n), no_throw);
                if (std::get<0>(sent)) break;
            }
            if (std::get<0>(got)) break;
        }
        from->lowest_layer().close();
        to->lowest_layer().close();
    }

    template <class Stream>
    static awaitable<bool> connect(state& s, Stream& client, std::string head) {
        while (head.find("\r\n\r\n") == std::string::npos) {
            const std::string more = co_await take(client, 1);
            if (more.empty()) co_return false;
            head += more;
        }
        s.head = head;
        const std::string login = kcontrol::encode_base64(s.user + ":" + s.password);
        if (!s.user.empty() && head.find("\r\nProxy-Authorization: Basic " + login + "\r\n") == std::string::npos) {
            co_await say(client, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
            co_return false;
        }
        s.asked.push_back(head.substr(0, head.find(" HTTP/1.1")));
        co_await say(client, "HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n");
        co_return true;
    }

    template <class Stream>
    static awaitable<bool> socks(state& s, Stream& client) {
        const std::string count = co_await take(client, 1);
        const std::string methods = co_await take(client, static_cast<std::size_t>(count[0]));
        const char wanted = s.user.empty() ? '\0' : '\x02';
        const bool offered = methods.find(wanted) != std::string::npos;
        const char chosen = offered ? wanted : '\xff';
        co_await say(client, std::string("\x05") + chosen);
        if (!offered) co_return false;
        if (wanted == '\x02') {
            const bool known = co_await log_in(s, client);
            if (!known) co_return false;
        }
        const std::string head = co_await take(client, 4);
        std::string host;
        if (head[3] == 3) {
            const std::string size = co_await take(client, 1);
            host = co_await take(client, static_cast<std::size_t>(size[0]));
        } else if (head[3] == 1) {
            boost::asio::ip::address_v4::bytes_type bytes;
            const std::string four = co_await take(client, 4);
            std::copy(four.begin(), four.end(), bytes.begin());
            host = boost::asio::ip::make_address_v4(bytes).to_string();
        } else {
            boost::asio::ip::address_v6::bytes_type bytes;
            const std::string sixteen = co_await take(client, 16);
            std::copy(sixteen.begin(), sixteen.end(), bytes.begin());
            host = boost::asio::ip::make_address_v6(bytes).to_string();
        }
        const std::string port = co_await take(client, 2);
        const int number = static_cast<unsigned char>(port[0]) * 256 + static_cast<unsigned char>(port[1]);
        s.asked.push_back("SOCKS " + host + ":" + std::to_string(number));
        // The address that it uses: a name, which is the longest kind.
        std::string answer("\x05\x00\x00\x03\x04host\x00\x50", 11);
        answer[1] = static_cast<char>(s.refusal);
        co_await say(client, answer);
        co_return s.refusal == 0;
    }

    template <class Stream>
    static awaitable<bool> log_in(state& s, Stream& client) {
        const std::string head = co_await take(client, 2);
        const std::string user = co_await take(client, static_cast<std::size_t>(head[1]));
        const std::string size = co_await take(client, 1);
        const std::string password = co_await take(client, static_cast<std::size_t>(size[0]));
        const bool known = user == s.user && password == s.password;
        const char verdict = known ? '\0' : '\x01';
        co_await say(client, std::string("\x01") + verdict);
        co_return known;
    }

    std::shared_ptr<state> state_;
};

/// Takes connections, says its text at once, and closes or waits.
class silent_peer {
public:
    silent_peer(boost::asio::io_context& context, std::string says, bool closes)
        : state_(std::make_shared<state>(context, std::move(says), closes)) {
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~silent_peer() {
        state_->acceptor.close();
        state_->kept.clear();
    }
    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }

private:
    struct state {
        state(boost::asio::io_context& context, std::string text, bool ends)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
              says(std::move(text)),
              closes(ends) {}
        tcp::acceptor acceptor;
        std::string says;
        bool closes;
        std::deque<tcp::socket> kept;
    };

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            s->kept.push_back(std::move(socket));
            tcp::socket& mine = s->kept.back();
            // What it was asked is read first: closing over unread bytes would be a reset.
            char ignored[4096];
            if (s->closes) co_await mine.async_read_some(boost::asio::buffer(ignored), no_throw);
            co_await write_text(mine, s->says);
            error_code ended;
            if (s->closes) mine.shutdown(tcp::socket::shutdown_send, ended);
        }
    }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol::test
