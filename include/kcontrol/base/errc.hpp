// Error codes: what can go wrong on the client's side, and what an API server can answer.
#pragma once

#include <kcontrol/config.hpp>

#include <boost/system/error_code.hpp>

#include <string_view>
#include <type_traits>

namespace kcontrol::inline v0_1 {

using error_code = boost::system::error_code;

/// What went wrong on our side of the wire, before or without an answer of the API server.
enum class errc {
    stopped = 1,         ///< the operation's stop token was triggered
    timeout,             ///< the deadline passed
    connection_refused,  ///< no server listens at the address
    connection_lost,     ///< the connection broke before the exchange was complete
    name_not_found,      ///< the host name could not be resolved
    tls_failed,          ///< the TLS handshake failed, or the peer's certificate was refused
    truncated,           ///< a body or a stream ended inside a message
    too_large,           ///< a body, event, header or document exceeded its budget
    protocol_error,      ///< the peer does not speak HTTP/1.1 as it must
    not_an_api_server,   ///< the answer is HTTP, but not from a Kubernetes API server (HTML, redirect…)
    decode_failed,       ///< bytes are not valid JSON or YAML, or do not fit the type
    invalid_argument,    ///< the caller's input is refused before anything is sent
    invalid_config,      ///< a kubeconfig or a setting is broken
    file_failed,         ///< a file could not be read or written
    unknown_outcome,     ///< a write was sent and the answer was lost: it may or may not have happened
    not_synced,          ///< the cache has not completed its first list
    no_such_kind,        ///< the server does not serve this resource
    unavailable,         ///< this part is stopped, closed or not started
    address_in_use,      ///< the listening address is taken
    terminal,            ///< a reconciler says that a retry can't help
    limit_exceeded,      ///< an answer goes on beyond a bound that no real server reaches
    out_of_memory,       ///< there was no memory for what was read
    callback_failed,     ///< a function of the embedding program threw an exception
    not_leading,         ///< a write is refused: this process does not lead, or does not any more
};

/// What an API server answered: one value for each reason of metav1.Status that clients act upon.
enum class api_errc {
    unknown = 1,
    bad_request,
    unauthorized,
    forbidden,
    not_found,
    already_exists,
    conflict,
    gone,     ///< 410, reason Gone (servers up to 1.17)
    expired,  ///< 410, reason Expired: the resource version is too old
    invalid,
    too_many_requests,
    timeout,         ///< 504
    server_timeout,  ///< the server could not finish in time; a retry is welcome
    internal_error,
    service_unavailable,
    method_not_allowed,
    not_acceptable,
    unsupported_media_type,
    request_entity_too_large,
};

/// Questions that a caller asks of an error code, whichever of the two enums it comes from:
/// `if (e.code() == condition::retryable)`.
enum class condition {
    retryable = 1,  ///< the same request may succeed later
    not_found,      ///< the object, or its kind, does not exist
    conflict,       ///< another client wrote first
    expired,        ///< 410 in either shape: list again
    unreachable,    ///< no whole answer came from the server
    access_denied,  ///< 401 or 403
};

KCONTROL_DECL const boost::system::error_category& client_category() noexcept;
KCONTROL_DECL const boost::system::error_category& api_category() noexcept;
KCONTROL_DECL const boost::system::error_category& condition_category() noexcept;

KCONTROL_DECL error_code make_error_code(errc) noexcept;
KCONTROL_DECL error_code make_error_code(api_errc) noexcept;
KCONTROL_DECL boost::system::error_condition make_error_condition(condition) noexcept;

/// The code for a Status as the server sent it. `reason` decides; without a known one, the HTTP code does.
KCONTROL_DECL api_errc api_errc_from(int http_status, std::string_view reason) noexcept;

/// The `reason` text of metav1.Status for a code ("NotFound", "Expired"…).
KCONTROL_DECL std::string_view reason_of(api_errc) noexcept;

}  // namespace kcontrol

namespace boost::system {
template <>
struct is_error_code_enum<kcontrol::errc> : std::true_type {};
template <>
struct is_error_code_enum<kcontrol::api_errc> : std::true_type {};
template <>
struct is_error_condition_enum<kcontrol::condition> : std::true_type {};
}  // namespace boost::system

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/base/impl/errc.ipp>
#endif
