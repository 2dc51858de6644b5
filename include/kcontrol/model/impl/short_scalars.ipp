// Numbers as most of them are written, in one go.
#pragma once

#include <kcontrol/json/plain_text.hpp>

#include <cstdint>

namespace kcontrol::detail {

/// Passes over a whole number of at most nine digits; false, at the same place, if it is not one.
inline bool take_short_number(json::plain_text& in, std::int32_t& out) noexcept {
    constexpr std::ptrdiff_t most = 9;
    const char* const first = in.at();
    const char* at = first;
    std::int32_t value = 0;
    for (; at != in.end() && at - first < most; ++at) {
        const int digit = *at - '0';
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
    }
    if (at == first || at == in.end() || (at - first > 1 && *first == '0')) return false;
    if (*at != ',' && *at != '}' && *at != ']') return false;
    in.go_back_to(at);
    out = value;
    return true;
}

}  // namespace kcontrol::detail
