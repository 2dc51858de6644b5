#pragma once

#include <kcontrol/auth/impersonation.hpp>
#include <kcontrol/http/ascii.hpp>

#include <string_view>

namespace kcontrol::inline v0_1::auth {
namespace detail {

// client-go's headerKeyEscape: what may not stand in a header's name is percent-encoded, and so is '%'.
inline std::string escape_extra_key(std::string_view key) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : key) {
        if (c != '%' && http::detail::is_token_char(c)) {
            out += c;
        } else {
            out += '%';
            out += digits[static_cast<unsigned char>(c) >> 4];
            out += digits[static_cast<unsigned char>(c) & 0xF];
        }
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL void impersonation::add_to(http::fields& headers) const {
    if (empty() || headers.contains("Impersonate-User")) return;
    headers.set("Impersonate-User", user_);
    if (!uid_.empty()) headers.set("Impersonate-Uid", uid_);
    for (const auto& group : groups_) headers.add("Impersonate-Group", group);
    for (const auto& [key, values] : extra_) {
        for (const auto& value : values) headers.add("Impersonate-Extra-" + detail::escape_extra_key(key), value);
    }
}

}  // namespace kcontrol::auth
