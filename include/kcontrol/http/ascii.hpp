// Comparing and classifying the ASCII text of HTTP headers.
#pragma once

#include <algorithm>
#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

inline char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool iequals(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// tchar of RFC 9110 §5.6.2.
inline bool is_token_char(char c) noexcept {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace kcontrol::http::detail
