// Where credentials come from that take time to get: a program, a token service, a vault.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::auth {

/// What somebody was given to log in with: a bearer token, a client certificate, or both.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class issued_credentials {
public:
    issued_credentials() = default;

    /// A bearer token, without the word Bearer. Empty: none.
    issued_credentials& token(secret_string text) { return token_ = std::move(text), *this; }
    /// A client certificate and its key, as PEM text. An empty key: none.
    issued_credentials& client_certificate(std::string chain_pem, secret_string key_pem) {
        return chain_pem_ = std::move(chain_pem), key_pem_ = std::move(key_pem), *this;
    }
    /// Until when they are good. Nothing: until the server says no.
    issued_credentials& expires(std::optional<wall_time> at) { return expires_ = at, *this; }

    const secret_string& token() const noexcept { return token_; }
    const std::string& chain_pem() const noexcept { return chain_pem_; }  ///< counts with a key only
    const secret_string& key_pem() const noexcept { return key_pem_; }    ///< empty: no client certificate
    const std::optional<wall_time>& expires() const noexcept { return expires_; }

private:
    secret_string token_;
    std::string chain_pem_;
    secret_string key_pem_;
    std::optional<wall_time> expires_;
};

/// Gets credentials, each time anew: the client asks once for all requests that wait, keeps what it got until it
/// expires, and asks again after a 401.
///
/// Thread-safety: called on the client's executor, one call at a time.
class credential_provider {
public:
    virtual ~credential_provider() = default;
    /// Errors go to the requests that wait; they hold no secret. `stop` is triggered when nobody waits any more; the
    /// next call comes when this one has returned.
    virtual awaitable<result<issued_credentials>> issue(std::stop_token stop) = 0;
};

}  // namespace kcontrol::auth
