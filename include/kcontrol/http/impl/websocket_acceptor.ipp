#pragma once

#include <kcontrol/base/trim.hpp>
#include <kcontrol/http/ascii.hpp>
#include <kcontrol/http/websocket_acceptor.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::http {
namespace detail {

// Calls `see` with each element of a header's list, without the blanks around it; true if one call said so.
template <class See>
bool any_element(std::string_view list, See see) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        const std::string_view one = trim_blanks(list.substr(0, end), line_blanks);
        list.remove_prefix(std::min(end + 1, list.size()));
        if (!one.empty() && see(one)) return true;
    }
    return false;
}

inline bool has_element(std::string_view list, std::string_view wanted) {
    return any_element(list, [wanted](std::string_view one) { return iequals(one, wanted); });
}

}  // namespace detail

KCONTROL_DECL bool is_websocket_upgrade(const request& asked) {
    constexpr std::size_t key_digits = 24;  // base64 of 16 bytes
    return asked.method == "GET" && detail::has_element(asked.headers.get("Connection"), "upgrade") &&
           detail::has_element(asked.headers.get("Upgrade"), "websocket") &&
           asked.headers.get("Sec-WebSocket-Version") == "13" &&
           asked.headers.get("Sec-WebSocket-Key").size() == key_digits;
}

KCONTROL_DECL std::string offered_subprotocol(const request& asked, std::span<const std::string_view> known) {
    std::string found;
    detail::any_element(asked.headers.get("Sec-WebSocket-Protocol"), [&](std::string_view one) {
        if (std::find(known.begin(), known.end(), one) == known.end()) return false;
        found = one;
        return true;
    });
    return found;
}

}  // namespace kcontrol::http
