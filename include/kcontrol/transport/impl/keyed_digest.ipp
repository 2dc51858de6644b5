#pragma once

#include <kcontrol/transport/impl/tls_context.ipp>
#include <kcontrol/transport/keyed_digest.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace kcontrol::inline v0_1::http {

KCONTROL_DECL result<keyed_digest> keyed_digest::create() {
    std::string key(32, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1) {
        return error(errc::tls_failed, "OpenSSL gives no random bytes: " + detail::take_openssl_reason());
    }
    return keyed_digest(secret_string(std::move(key)));
}

KCONTROL_DECL keyed_digest::value keyed_digest::of(std::initializer_list<std::string_view> texts) const {
    std::string all;
    for (const std::string_view text : texts) {
        all += std::to_string(text.size()) + ":";
        all += text;
    }
    const secret_string input(std::move(all));
    const std::string_view key = key_.reveal(), bytes = input.reveal();
    value out{};
    unsigned int size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
         bytes.size(), out.data(), &size);
    return out;
}

}  // namespace kcontrol::http
