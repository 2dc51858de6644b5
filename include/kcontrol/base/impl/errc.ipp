#pragma once

#include <kcontrol/base/errc.hpp>

#include <array>
#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

class client_category_impl final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "kcontrol"; }
    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
        case errc::stopped: return "stopped";
        case errc::timeout: return "the deadline passed";
        case errc::connection_refused: return "connection refused";
        case errc::connection_lost: return "the connection was lost";
        case errc::name_not_found: return "the host name could not be resolved";
        case errc::tls_failed: return "TLS failed";
        case errc::truncated: return "the answer ended in the middle of a message";
        case errc::too_large: return "the answer exceeds its size budget";
        case errc::protocol_error: return "the peer does not speak HTTP/1.1 correctly";
        case errc::not_an_api_server: return "the answer does not come from a Kubernetes API server";
        case errc::decode_failed: return "the document could not be decoded";
        case errc::invalid_argument: return "invalid argument";
        case errc::invalid_config: return "invalid configuration";
        case errc::file_failed: return "the file could not be read or written";
        case errc::unknown_outcome: return "the answer to a write was lost; it may have happened";
        case errc::not_synced: return "the cache has not synced yet";
        case errc::no_such_kind: return "the server does not serve this kind";
        case errc::unavailable: return "not running";
        case errc::address_in_use: return "the address is in use";
        case errc::terminal: return "a retry can't help";
        case errc::limit_exceeded: return "the answer has no end";
        case errc::out_of_memory: return "out of memory";
        case errc::callback_failed: return "a callback threw an exception";
        case errc::not_leading: return "this process does not lead";
        }
        return "unknown error";
    }
};

class api_category_impl final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "kubernetes"; }
    std::string message(int value) const override {
        const auto reason = reason_of(static_cast<api_errc>(value));
        return reason.empty() ? std::string("unknown answer of the API server") : std::string(reason);
    }
};

inline bool is_retryable(const error_code& code) noexcept {
    if (code.category() == client_category()) {
        switch (static_cast<errc>(code.value())) {
        case errc::timeout:
        case errc::connection_refused:
        case errc::connection_lost:
        case errc::name_not_found:
        case errc::truncated:
        case errc::protocol_error:
        case errc::not_an_api_server:
        case errc::unavailable: return true;
        default: return false;
        }
    }
    if (code.category() == api_category()) {
        switch (static_cast<api_errc>(code.value())) {
        case api_errc::too_many_requests:
        case api_errc::timeout:
        case api_errc::server_timeout:
        case api_errc::internal_error:
        case api_errc::service_unavailable: return true;
        default: return false;
        }
    }
    return false;
}

class condition_category_impl final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "kcontrol condition"; }
    std::string message(int value) const override {
        switch (static_cast<condition>(value)) {
        case condition::retryable: return "worth a retry";
        case condition::not_found: return "not found";
        case condition::conflict: return "conflict";
        case condition::expired: return "resource version expired";
        case condition::unreachable: return "the server is unreachable";
        case condition::access_denied: return "access denied";
        }
        return "unknown condition";
    }
    bool equivalent(const boost::system::error_code& code, int value) const noexcept override {
        switch (static_cast<condition>(value)) {
        case condition::retryable: return is_retryable(code);
        case condition::not_found: return code == api_errc::not_found || code == errc::no_such_kind;
        case condition::conflict: return code == api_errc::conflict;
        case condition::expired: return code == api_errc::expired || code == api_errc::gone;
        case condition::unreachable:
            return code == errc::timeout || code == errc::connection_refused || code == errc::connection_lost ||
                   code == errc::name_not_found || code == errc::tls_failed || code == errc::truncated;
        case condition::access_denied: return code == api_errc::unauthorized || code == api_errc::forbidden;
        }
        return false;
    }
};

struct reason_row {
    api_errc code;
    int status;
    std::string_view reason;
};

// The first row of an HTTP status is the one chosen where the answer carries no known reason.
inline constexpr std::array<reason_row, 19> reason_table{{
    {api_errc::bad_request, 400, "BadRequest"},
    {api_errc::unauthorized, 401, "Unauthorized"},
    {api_errc::forbidden, 403, "Forbidden"},
    {api_errc::not_found, 404, "NotFound"},
    {api_errc::method_not_allowed, 405, "MethodNotAllowed"},
    {api_errc::not_acceptable, 406, "NotAcceptable"},
    {api_errc::conflict, 409, "Conflict"},
    {api_errc::already_exists, 409, "AlreadyExists"},
    {api_errc::expired, 410, "Expired"},
    {api_errc::gone, 410, "Gone"},
    {api_errc::request_entity_too_large, 413, "RequestEntityTooLarge"},
    {api_errc::unsupported_media_type, 415, "UnsupportedMediaType"},
    {api_errc::invalid, 422, "Invalid"},
    {api_errc::too_many_requests, 429, "TooManyRequests"},
    {api_errc::internal_error, 500, "InternalError"},
    {api_errc::server_timeout, 500, "ServerTimeout"},
    {api_errc::service_unavailable, 503, "ServiceUnavailable"},
    {api_errc::timeout, 504, "Timeout"},
    {api_errc::unknown, 0, "Unknown"},
}};

}  // namespace detail

KCONTROL_DECL const boost::system::error_category& client_category() noexcept {
    static const detail::client_category_impl instance;
    return instance;
}

KCONTROL_DECL const boost::system::error_category& api_category() noexcept {
    static const detail::api_category_impl instance;
    return instance;
}

KCONTROL_DECL const boost::system::error_category& condition_category() noexcept {
    static const detail::condition_category_impl instance;
    return instance;
}

KCONTROL_DECL error_code make_error_code(errc value) noexcept {
    return error_code(static_cast<int>(value), client_category());
}

KCONTROL_DECL error_code make_error_code(api_errc value) noexcept {
    return error_code(static_cast<int>(value), api_category());
}

KCONTROL_DECL boost::system::error_condition make_error_condition(condition value) noexcept {
    return boost::system::error_condition(static_cast<int>(value), condition_category());
}

KCONTROL_DECL api_errc api_errc_from(int http_status, std::string_view reason) noexcept {
    for (const auto& row : detail::reason_table) {
        if (!reason.empty() && row.reason == reason && row.code != api_errc::unknown) return row.code;
    }
    for (const auto& row : detail::reason_table) {
        if (row.status == http_status) return row.code;
    }
    return http_status >= 500 ? api_errc::internal_error : api_errc::unknown;
}

KCONTROL_DECL std::string_view reason_of(api_errc value) noexcept {
    for (const auto& row : detail::reason_table) {
        if (row.code == value) return row.reason;
    }
    return {};
}

}  // namespace kcontrol
