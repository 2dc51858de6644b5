// Lines over TCP and TLS: with servers that say little, much, nothing, or too early.
#include <kcontrol/transport/line_connection.hpp>

#include "transport/raw_peer.hpp"
#include "transport/tls_net.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

using connected = result<std::unique_ptr<http::line_connection>>;

// One connection: what is done with it stands in the test.
class line_peer {
public:
    line_peer(loopback& lo, std::function<awaitable<void>(tcp::socket)> life)
        : acceptor_(lo.context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)), life_(std::move(life)) {
        boost::asio::co_spawn(lo.context, accept(), boost::asio::detached);
    }
    ~line_peer() { acceptor_.close(); }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    awaitable<void> accept() {
        auto outcome = co_await acceptor_.async_accept(no_throw);
        auto& [failure, socket] = outcome;
        if (!failure) co_await life_(std::move(socket));
    }
    tcp::acceptor acceptor_;
    std::function<awaitable<void>(tcp::socket)> life_;
};

awaitable<void> say_and_wait(tcp::socket socket, std::string text) {
    co_await write_text(socket, std::move(text));
    co_await read_to_end(socket);
}

awaitable<void> open_into(loopback& lo, std::uint16_t port, std::string scheme, http::tls_options tls,
                          http::line_options options, connected& into) {
    auto opening =
        http::open_line_connection(lo.env, lo.ex(), http::endpoint(std::move(scheme), "127.0.0.1", port), tls, options);
    auto made = co_await std::move(opening);
    into = std::move(made);
}

awaitable<void> read_into(http::line_connection& from, result<std::string>& into) {
    auto line = co_await from.read_line();
    into = std::move(line);
}

awaitable<void> start_tls_into(http::line_connection& on, result<void>& into) {
    auto done = co_await on.start_tls();
    into = std::move(done);
}

class line_net : public loopback {
public:
    connected open(std::uint16_t port, std::string scheme = "tcp", http::tls_options tls = {},
                   http::line_options options = {}) {
        connected out = error(errc::unavailable);
        run(context, open_into(*this, port, std::move(scheme), std::move(tls), std::move(options), out));
        return out;
    }
    result<std::string> read(http::line_connection& from) {
        result<std::string> out = error(errc::unavailable);
        run(context, read_into(from, out));
        return out;
    }
};

}  // namespace

TEST_CASE("line connection: lines, however they arrive, and the end") {
    line_net lo;
    line_peer peer(lo, [](tcp::socket socket) -> awaitable<void> {
        for (const char* piece : {"220 a\r\n22", "0 b\r", "\n\nlast"}) co_await write_text(socket, piece);
    });
    auto line = lo.open(peer.port());
    REQUIRE(line.has_value());
    CHECK_FALSE((*line)->is_encrypted());
    for (const char* expected : {"220 a", "220 b", ""}) CHECK(lo.read(**line).value() == expected);
    CHECK(lo.read(**line).error() == errc::connection_lost);
}

TEST_CASE("line connection: what is too long, too late or not wanted ends it") {
    line_net lo;
    const auto silent = [](tcp::socket socket) { return say_and_wait(std::move(socket), ""); };
    {
        line_peer peer(lo, [](tcp::socket socket) { return say_and_wait(std::move(socket), std::string(50, 'x')); });
        auto line = lo.open(peer.port(), "tcp", {}, http::line_options().longest_line(20));
        CHECK(lo.read(**line).error() == errc::too_large);
    }
    {
        line_peer peer(lo, silent);
        // measures: a server that says nothing is waited for until the deadline
        auto line = lo.open(peer.port(), "tcp", {}, http::line_options().deadline(lo.env.now() + 100ms));
        CHECK(lo.read(**line).error() == errc::timeout);
    }
    {
        line_peer peer(lo, silent);
        std::stop_source stop;
        auto line = lo.open(peer.port(), "tcp", {}, http::line_options().stop(stop.get_token()));
        stop.request_stop();
        CHECK(lo.read(**line).error() == errc::stopped);
    }
    CHECK(lo.open(1, "smtp").error() == errc::invalid_config);
    CHECK(lo.open(1).error() == errc::connection_refused);
}

TEST_CASE("line connection: TLS from the beginning, by name and authority") {
    line_net lo;
    tree names;
    tls_peer peer(lo.context, names.leaf.pem(), names.leaf.key_pem(), "220 hi\r\n");
    auto line = lo.open(peer.port(), "tls", http::tls_options().ca_pem(names.root.pem()));
    REQUIRE_MESSAGE(line.has_value(), (line ? std::string() : line.error().what()));
    CHECK((*line)->is_encrypted());
    CHECK(lo.open(peer.port(), "tls").error() == errc::tls_failed);
    CHECK(lo.open(peer.port(), "tls", http::tls_options().ca_pem(names.root.pem()).server_name("elsewhere")).error() ==
          errc::tls_failed);
}

TEST_CASE("line connection: TLS does not begin after words that somebody in between may have written") {
    line_net lo;
    line_peer peer(lo,
                   [](tcp::socket socket) { return say_and_wait(std::move(socket), "220 go\r\n250 injected\r\n"); });
    auto line = lo.open(peer.port());
    CHECK(lo.read(**line).value() == "220 go");
    result<void> done;
    run(lo.context, start_tls_into(**line, done));
    CHECK(done.error() == errc::protocol_error);
}
