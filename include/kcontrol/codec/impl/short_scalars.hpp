// Integers as most of them are written, in one go.
#pragma once

#include <kcontrol/json/cursor.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1::detail {

/// Takes an integer of at most eighteen digits; false, at the same place, if it is not one.
template <class Integer>
bool take_integer(json::cursor& in, Integer& out) noexcept {
    constexpr std::ptrdiff_t most = 18;
    const char* at = in.at();
    const bool negative = in.front() == '-';
    if (negative) ++at;
    const char* const first = at;
    std::int64_t value = 0;
    for (; at != in.end() && at - first < most; ++at) {
        const int digit = *at - '0';
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
    }
    if (at == first || at == in.end() || (at - first > 1 && *first == '0')) return false;
    if (*at != ',' && *at != '}' && *at != ']') return false;
    out = static_cast<Integer>(negative ? -value : value);
    if (out != (negative ? -value : value)) return false;
    in.go_back_to(at);
    return true;
}

}  // namespace kcontrol::detail
