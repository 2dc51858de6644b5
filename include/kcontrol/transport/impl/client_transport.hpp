// The transport of one server: its idle connections, and the exchanges on the others.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/impl/connection.hpp>
#include <kcontrol/transport/impl/http2_connection.hpp>
#include <kcontrol/transport/impl/message_parser.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

class client_transport;
class http2_attempt;

/// One request and its response, on one connection.
class client_exchange {
public:
    client_exchange(std::shared_ptr<client_transport> owner, const request& req, std::size_t max_body);
    ~client_exchange();
    client_exchange(const client_exchange&) = delete;
    client_exchange& operator=(const client_exchange&) = delete;

    void use(std::unique_ptr<connection> c);
    awaitable<void> send(std::string_view head, std::string_view content);
    awaitable<result<void>> read_head();
    /// Reads once and parses what came.
    awaitable<result<void>> read_more();
    /// Gives the connection back if it is fit for another request.
    void finish();

    std::shared_ptr<client_transport> transport;
    std::shared_ptr<watchdog> dog;
    std::unique_ptr<connection> link;
    std::optional<message_parser<false>> parser;
    bool safe;  ///< GET or HEAD: may be sent again
    bool is_head;
    bool reused = false;    ///< the connection served another exchange before
    bool answered = false;  ///< at least one byte came back
    bool unsent = false;    ///< the request did not go out whole
    bool refused = false;   ///< in TLS, before the server read anything of the request

private:
    error describe(const error_code& failure);
    void end();
    std::size_t max_body_;
    bool ended_ = false;
};

/// See make_transport_factory.
class client_transport final : public http::transport, public std::enable_shared_from_this<client_transport> {
public:
    client_transport(environment& e, executor x, const http::endpoint& s, std::string name,
                     std::shared_ptr<tls_context> t, std::shared_ptr<tls_context> proxys, transport_options o)
        : env(e),
          ex(std::move(x)),
          server(s),
          peer_name(std::move(name)),
          tls(std::move(t)),
          proxy_tls(std::move(proxys)),
          options(o) {}

    awaitable<result<opened_exchange>> open(request req, exchange_options o) override;
    void close() override;

    /// What a new connection takes, for an exchange with those options.
    connect_request connecting(std::shared_ptr<watchdog> dog, std::function<void(duration)> on_lookup);

    std::unique_ptr<connection> take_idle();
    void give_back(std::unique_ptr<connection> c);

    /// The server may choose HTTP/2, as far as is known.
    bool may_speak_http2() const noexcept { return tls && options.http2() && env.now() >= http1_until_; }
    /// The server was asked, and did not choose HTTP/2.
    void prefer_http1() noexcept { http1_until_ = env.now() + http1_lasts; }
    void drop_idle_http2();
    std::shared_ptr<http2_connection> take_http2();
    void keep_http2(std::unique_ptr<byte_stream> secured);
    /// Closes it if it is idle, and enough others are.
    void keep_few_idle(http2_connection& one);
    /// HTTP/2 is offered again after so long, to a new connection: what is behind an address changes.
    static constexpr duration http1_lasts = std::chrono::minutes(10);

    // An exchange begins and ends. What is idle is watched only in between: a timer would keep the context running
    // that long after the last of its work.
    void begin_exchange() noexcept { ++exchanges_; }
    void end_exchange();

    environment& env;
    executor ex;
    const http::endpoint server;
    const std::string peer_name;
    const std::shared_ptr<tls_context> tls;
    const std::shared_ptr<tls_context> proxy_tls;  // of an https proxy
    const transport_options options;
    std::shared_ptr<handshake_turns> handshakes;  // of all transports of its factory; null: no limit
    std::shared_ptr<host_lookup> lookup;
    std::shared_ptr<http2_attempt> attempt;  // in progress
    bool closed = false;

private:
    void sweep_later();
    void sweep();

    std::optional<time_point> oldest_idle() const;

    std::deque<std::unique_ptr<connection>> idle_;  // oldest first
    std::deque<std::shared_ptr<http2_connection>> http2_;
    time_point http1_until_{};
    std::unique_ptr<timer> sweeper_;
    bool sweeping_ = false;
    std::size_t exchanges_ = 0;  // in progress
};

}  // namespace kcontrol::http::detail
