// A client's connection: how it is made, and the bytes read ahead on it.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/impl/byte_stream.hpp>
#include <kcontrol/transport/impl/handshake_turns.hpp>
#include <kcontrol/transport/impl/host_lookup.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>
#include <kcontrol/transport/impl/watchdog.hpp>

#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// What one read asks for: little while a stream is quiet, as a watch is for most of its life, more and more of a large
/// answer.
inline constexpr std::size_t quiet_read_size = 512;
inline constexpr std::size_t least_read_size = std::size_t{16} << 10;
inline constexpr std::size_t most_read_size = std::size_t{64} << 10;

/// A connection and what was read from it beyond the last message.
class connection {
public:
    explicit connection(std::unique_ptr<byte_stream> s) : stream(std::move(s)) {}

    /// True if nothing has arrived, not even the end: the next request may use it.
    KCONTROL_DECL bool quiet() const noexcept;
    /// Room for the next read. `may_wait`: with nothing there yet it may take a while, and waits with little.
    KCONTROL_DECL boost::asio::mutable_buffer prepare(bool may_wait);

    std::unique_ptr<byte_stream> stream;
    bool speaks_http2 = false;  ///< the server chose it
    bool used = false;          ///< it has served an exchange
    boost::beast::flat_buffer input;
    std::size_t read_size = least_read_size;
    bool drained = false;  ///< the last read found less than it had room for
    time_point idle_since{};
};

/// What it takes to reach a server. The references outlive the call.
class connect_request {
public:
    connect_request(environment& e, executor x, const endpoint& s, std::string name, std::shared_ptr<tls_context> t,
                    std::shared_ptr<tls_context> proxys, const transport_options& o, std::shared_ptr<host_lookup>& l,
                    std::shared_ptr<watchdog> d)
        : env(e),
          ex(std::move(x)),
          server(s),
          peer_name(std::move(name)),
          tls(std::move(t)),
          proxy_tls(std::move(proxys)),
          options(o),
          lookup(&l),
          dog(std::move(d)) {}

    environment& env;
    executor ex;
    const endpoint& server;
    std::string peer_name;                   ///< to verify
    std::shared_ptr<tls_context> tls;        ///< null: plain TCP
    std::shared_ptr<tls_context> proxy_tls;  ///< of an https proxy
    const transport_options& options;
    std::shared_ptr<host_lookup>* lookup;  ///< the last one of this server's name, in progress or done
    std::shared_ptr<watchdog> dog;  ///< follows the caller's stop token already; watches the new socket afterwards
    std::function<void(duration)> on_lookup;      ///< of the exchange_options
    std::shared_ptr<handshake_turns> handshakes;  ///< null: as many as there are
    bool offers_http2 = false;                    ///< in TLS
};

/// Resolves the host (unless it is an address), tries its addresses in turn, and does the TLS handshake. With a proxy
/// it is the proxy's host, which is asked for the way to the server first. Errors: name_not_found, invalid_argument (no
/// address that is allowed), connection_refused, timeout, stopped, tls_failed, connection_lost.
KCONTROL_DECL awaitable<result<std::unique_ptr<connection>>> connect(connect_request what, time_point deadline,
                                                                     std::stop_token stop);

KCONTROL_DECL bool is_loopback(const std::string& host) noexcept;

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/connection.ipp>
#endif
