// A keyed digest of texts, for tables that must not hold the texts themselves: secrets that were seen before.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// HMAC-SHA-256 (RFC 2104) with a key of its own, which nobody else has: who reads the digest of a token learns nothing
/// of it, not even whether it is that of a token that he guesses.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class keyed_digest {
public:
    using value = std::array<std::uint8_t, 32>;  ///< all of an HMAC-SHA-256, not cut

    explicit keyed_digest(secret_string key) : key_(std::move(key)) {}  ///< two with one key give equal digests
    /// With a fresh key from OpenSSL's generator. Errors: tls_failed (it has no randomness to give).
    static KCONTROL_DECL result<keyed_digest> create();

    /// Of the texts one after the other, and of where each ends: ("ab", "c") and ("a", "bc") differ.
    KCONTROL_DECL value of(std::initializer_list<std::string_view> texts) const;

private:
    secret_string key_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/keyed_digest.ipp>
#endif
