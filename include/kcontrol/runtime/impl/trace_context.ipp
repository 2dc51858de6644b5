#pragma once

#include <kcontrol/runtime/trace_context.hpp>

#include <algorithm>
#include <span>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string hex_of_id(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(2 * bytes.size());
    for (const unsigned byte : bytes) {
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
    return out;
}

// Capital letters are no hexadecimal digits here (W3C §3.2.2).
inline bool read_hex_id(std::string_view text, std::span<std::uint8_t> into) {
    const auto digit = [](char c) -> int {
        if (c >= '0' && c <= '9') return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    if (text.size() != 2 * into.size()) return false;
    for (std::size_t i = 0; i < into.size(); ++i) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        into[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return true;
}

inline bool is_some_id(std::span<const std::uint8_t> bytes) {
    return std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; });
}

inline void draw_id(environment& env, std::span<std::uint8_t> into) {
    do {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < into.size(); ++i) {
            if (i % 8 == 0) bits = env.random();
            into[i] = static_cast<std::uint8_t>(bits >> (8 * (i % 8)));
        }
    } while (!is_some_id(into));
}

}  // namespace detail

KCONTROL_DECL bool trace_context::is_valid() const noexcept {
    return detail::is_some_id(trace_id) && detail::is_some_id(span_id);
}

KCONTROL_DECL std::string trace_context::trace_id_text() const { return detail::hex_of_id(trace_id); }
KCONTROL_DECL std::string trace_context::span_id_text() const { return detail::hex_of_id(span_id); }

KCONTROL_DECL trace_context trace_context::child(environment& env) const {
    trace_context out = *this;
    if (!is_valid()) {
        detail::draw_id(env, out.trace_id);
        out.sampled = true;
    }
    detail::draw_id(env, out.span_id);
    return out;
}

KCONTROL_DECL std::string to_traceparent(const trace_context& of) {
    return "00-" + of.trace_id_text() + "-" + of.span_id_text() + (of.sampled ? "-01" : "-00");
}

KCONTROL_DECL std::optional<trace_context> parse_traceparent(std::string_view text) {
    constexpr std::size_t size = 55;
    if (text.size() < size || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
    std::array<std::uint8_t, 1> version{}, flags{};
    trace_context out;
    const bool read =
        detail::read_hex_id(text.substr(0, 2), version) && detail::read_hex_id(text.substr(3, 32), out.trace_id) &&
        detail::read_hex_id(text.substr(36, 16), out.span_id) && detail::read_hex_id(text.substr(53, 2), flags);
    if (!read || version[0] == 0xff || !out.is_valid()) return std::nullopt;
    if (version[0] == 0 && text.size() != size) return std::nullopt;
    if (text.size() > size && text[size] != '-') return std::nullopt;
    out.sampled = (flags[0] & 1U) != 0;
    return out;
}

}  // namespace kcontrol
