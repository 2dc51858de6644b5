// Base64 (RFC 4648 §4): how kubeconfigs and Secrets carry bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Decodes padded base64; white space is passed over. Nothing if the text is not base64.
inline std::optional<std::string> decode_base64(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int digits = 0, padding = 0;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
        const auto digit = c == '=' ? 0 : alphabet.find(c);
        if (digit == std::string_view::npos || (padding > 0 && c != '=')) return std::nullopt;
        if (c == '=') ++padding;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (++digits % 4 != 0) continue;
        if (padding > 2) return std::nullopt;
        const std::array<char, 3> bytes{static_cast<char>(bits >> 16 & 0xff), static_cast<char>(bits >> 8 & 0xff),
                                        static_cast<char>(bits & 0xff)};
        out.append(bytes.data(), 3 - static_cast<std::size_t>(padding));
        bits = 0;
        if (padding > 0) padding = 3;  // nothing but white space may follow
    }
    if (digits % 4 != 0) return std::nullopt;
    return out;
}

/// Encodes with padding, without line breaks.
inline std::string encode_base64(std::string_view bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t i) {
            return at + i < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) : 0U;
        };
        const auto group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (unsigned i = 0; i < 4; ++i) {
            out += at + i <= bytes.size() ? alphabet[group >> (18 - 6 * i) & 63] : '=';
        }
    }
    return out;
}

}  // namespace kcontrol
