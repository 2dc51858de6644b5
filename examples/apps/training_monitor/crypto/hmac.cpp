#include "crypto/hmac.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdint>
#include <new>

namespace training_monitor::crypto {

std::string hmac_sha256(std::string_view key, std::string_view message) {
    static constexpr char nothing = 0;  // OpenSSL takes a null key for "the key of the last call"
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    const auto* text = reinterpret_cast<const unsigned char*>(message.data());
    const void* key_bytes = key.empty() ? &nothing : key.data();
    if (!::HMAC(::EVP_sha256(), key_bytes, static_cast<int>(key.size()), text, message.size(), digest.data(), &size)) {
        throw std::bad_alloc();  // the only thing that can be wrong here
    }
    return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

std::string to_hex(std::string_view bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<std::uint8_t>(c);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

std::string to_base64(std::string_view bytes) {
    std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                          reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
}

}  // namespace training_monitor::crypto
