// The ASCII text of HTTP headers.
#pragma once

#include <kcontrol/base/ascii.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::http::detail {

// tchar of RFC 9110 §5.6.2.
inline bool is_token_char(char c) noexcept {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace kcontrol::http::detail
