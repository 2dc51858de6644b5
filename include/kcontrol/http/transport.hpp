// The seam between the library and the network: how requests reach a server, whatever carries them.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace kcontrol::http {

/// Where a server is: scheme, host and port. The path of a base URL belongs to whoever builds targets.
class endpoint {
public:
    endpoint() = default;
    endpoint(std::string s, std::string h, std::uint16_t p) : scheme(std::move(s)), host(std::move(h)), port(p) {}

    std::string scheme = "https";  ///< "https" or "http"
    std::string host;              ///< name or IP address, an IPv6 one without brackets
    std::uint16_t port = 443;

    friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// TLS settings of a client, as PEM text. Verification of the peer can't be turned off.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class tls_options {
public:
    tls_options() = default;

    /// Trusts exactly these authorities. Empty: the system's roots.
    tls_options& ca_pem(std::string pem) { return ca_pem_ = std::move(pem), *this; }
    /// The client's chain and its key. Empty: no client certificate.
    tls_options& client_certificate(std::string chain_pem, secret_string key_pem) {
        return client_cert_pem_ = std::move(chain_pem), client_key_pem_ = std::move(key_pem), *this;
    }
    /// The name to verify and to send as SNI. Empty: the endpoint's host.
    tls_options& server_name(std::string name) { return server_name_ = std::move(name), *this; }

    const std::string& ca_pem() const noexcept { return ca_pem_; }
    const std::string& client_cert_pem() const noexcept { return client_cert_pem_; }
    const secret_string& client_key_pem() const noexcept { return client_key_pem_; }
    const std::string& server_name() const noexcept { return server_name_; }

    friend bool operator==(const tls_options&, const tls_options&) = default;

private:
    std::string ca_pem_;
    std::string client_cert_pem_;
    secret_string client_key_pem_;
    std::string server_name_;
};

/// What bounds one exchange.
class exchange_options {
public:
    exchange_options& deadline(duration d) { return deadline_ = d, *this; }
    exchange_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
    exchange_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    /// From the call until the whole answer (or, of a stream, its head) is there.
    duration deadline() const noexcept { return deadline_; }
    /// The largest body accepted; too_large beyond it. Streams have no limit of their own.
    std::size_t max_body() const noexcept { return max_body_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    duration deadline_ = std::chrono::seconds(30);
    std::size_t max_body_ = std::size_t{256} << 20;
    std::stop_token stop_;
};

/// The body of a response that is still arriving.
///
/// Thread-safety: shared objects unsafe; use it on the transport's executor.
/// Object lifetime: destruction closes the exchange.
class body_stream {
public:
    virtual ~body_stream() = default;

    /// Reads at least one byte, or 0 at the proper end of the body. `idle` bounds the wait for the next byte.
    /// Errors: timeout, stopped, connection_lost, truncated (the peer closed inside the body).
    virtual awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) = 0;
};

/// A response whose body is read piece by piece.
class streamed_response {
public:
    response_head head;
    std::unique_ptr<body_stream> body;
};

/// Carries requests to one server. Implementations: transport/ (Beast and TLS) and the simulator's.
///
/// Any HTTP status is a success here; errors are what kept an answer from arriving whole. Redirects are never
/// followed. A GET or HEAD may be sent again once where a kept-alive connection turned out to be closed; any
/// other request whose answer was lost after sending began ends with unknown_outcome.
///
/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
class transport {
public:
    virtual ~transport() = default;

    /// Sends a request and reads the whole answer.
    virtual awaitable<result<response>> round_trip(request req, exchange_options options) = 0;

    /// Sends a request and returns once the head of the answer is there.
    virtual awaitable<result<streamed_response>> open_stream(request req, exchange_options options) = 0;

    /// Closes idle connections now and the others when their exchange ends; later calls fail with unavailable.
    virtual void close() = 0;
};

/// Makes a transport to a server. Fails with invalid_config on unusable TLS material.
using transport_factory =
    std::function<result<std::shared_ptr<transport>>(executor, const endpoint&, const tls_options&)>;

}  // namespace kcontrol::http
