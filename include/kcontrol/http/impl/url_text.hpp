// Characters of URLs.
#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

inline bool url_is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
inline bool url_is_alpha(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "unreserved" of RFC 3986 §2.3.
inline bool url_is_unreserved(char c) noexcept {
    return url_is_alpha(c) || url_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

inline int url_hex_digit(char c) noexcept {
    if (url_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

inline void url_append_escaped(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out += '%';
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 0xF];
}

inline error url_error(std::string message) { return error(errc::invalid_argument, std::move(message)); }

}  // namespace kcontrol::http::detail
