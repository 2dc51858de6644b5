// Values as the API server shows them in its messages.
#pragma once

#include <kcontrol/json/reader.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// A float64 as Go's %v has it: the fewest digits, and an exponent below 1e-4 and from 1e6 on.
inline std::string go_number(double value) {
    char digits[64];
    const bool plain = value == 0 || (std::fabs(value) >= 1e-4 && std::fabs(value) < 1e6);
    const auto end = std::to_chars(digits, std::end(digits), value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    return std::string(digits, end.ptr);
}

/// Text as Go's %q has it, as far as JSON texts go.
inline std::string go_quote(std::string_view text) {
    constexpr char hex[] = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            (quoted += '\\') += c;
        } else if (c >= '\a' && c <= '\r') {
            (quoted += '\\') += "abtnvfr"[c - '\a'];
        } else if (byte < 0x20 || byte == 0x7f) {
            ((quoted += "\\x") += hex[byte >> 4U]) += hex[byte & 15U];
        } else {
            quoted += c;
        }
    }
    return quoted += '"';
}

inline std::string go_value(json::node value) {
    switch (value.kind()) {
    case json::kind::string: return go_quote(value.as_string());
    case json::kind::number:
    case json::kind::unsigned_integer: return go_number(value.as_double());
    default: return value.to_json();
    }
}

inline std::string_view go_type(json::node value) {
    switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::boolean: return "boolean";
    case json::kind::integer: return "integer";
    case json::kind::unsigned_integer:
    case json::kind::number: return "number";
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: break;
    }
    return "object";
}

inline std::int64_t count_code_points(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

}  // namespace kcontrol::detail
