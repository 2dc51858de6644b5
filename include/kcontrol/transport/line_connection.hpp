// A connection to a server that speaks in lines, such as SMTP: over TCP or TLS, which may begin later (STARTTLS).
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/endpoint.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// What bounds a line connection, from the look-up of the host's name to its last byte.
class line_options {
public:
    line_options() = default;

    /// All of it ends then with timeout. Default: only connecting has its ten seconds.
    line_options& deadline(time_point when) { return deadline_ = when, *this; }
    /// All of it ends with stopped once this is triggered.
    line_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }
    /// How many bytes a line may have, without its end. Default 4 KiB.
    line_options& longest_line(std::size_t bytes) { return longest_line_ = bytes, *this; }

    const std::optional<time_point>& deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }
    std::size_t longest_line() const noexcept { return longest_line_; }

private:
    std::optional<time_point> deadline_;
    std::stop_token stop_;
    std::size_t longest_line_ = std::size_t{4} << 10;
};

/// One connection. After an error of a call there is nothing to do but to destroy it.
///
/// Errors of the calls: connection_lost (the server closed it, or it broke), timeout, stopped.
/// Thread-safety: shared objects unsafe; one call at a time, on the executor that it was made with.
/// Object lifetime: it outlives its calls; destruction closes the connection. The environment outlives it.
class line_connection {
public:
    virtual ~line_connection() = default;

    /// The next line, without its LF and a CR before it. Errors, besides: too_large.
    virtual awaitable<result<std::string>> read_line() = 0;
    /// Writes all of it as it is.
    virtual awaitable<result<void>> write(std::string bytes) = 0;
    /// Goes on in TLS, which verifies the server as http::make_transport_factory() does. Errors, besides: tls_failed;
    /// protocol_error where the server has already sent more in plain text, which somebody in between may have written.
    virtual awaitable<result<void>> start_tls() = 0;
    /// Whether what is written goes out in TLS.
    virtual bool is_encrypted() const noexcept = 0;
};

/// Connects to a server whose scheme is "tls" (TLS from the beginning) or "tcp"; its proxy is not used. Host names are
/// looked up as http::make_transport_factory() does. `tls` is for start_tls(), too. Await it on `ex`.
/// Errors: invalid_config for TLS settings that can't be used, or another scheme; name_not_found, connection_refused,
/// timeout, stopped, tls_failed, connection_lost.
KCONTROL_DECL awaitable<result<std::unique_ptr<line_connection>>> open_line_connection(environment& env, executor ex,
                                                                                       endpoint server, tls_options tls,
                                                                                       line_options options);

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/line_connection.ipp>
#endif
