// UTF-8 in texts from elsewhere, which may hold other bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// What takes the place of a byte that is not UTF-8: U+FFFD.
inline constexpr std::string_view utf8_replacement = "\xEF\xBF\xBD";

/// The length in bytes of the well-formed UTF-8 sequence that `text` begins with, or 0 if there is none.
/// Source: Unicode 15, table 3-7.
inline std::size_t utf8_sequence_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto in = [&](std::size_t i, unsigned low, unsigned high) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    if (text.empty()) return 0;
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    if (lead < 0xE0) return in(1, 0x80, 0xBF) ? 2 : 0;
    if (lead < 0xF0) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;  // no surrogates
        return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (lead > 0xF4) return 0;
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
}

/// The front of `text`, at most `most` bytes, and not cut within a UTF-8 sequence.
inline std::string_view utf8_prefix(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    return text.substr(0, most);
}

/// Writes a code point, which is one of Unicode and no surrogate, and returns how many bytes that took.
inline std::size_t write_utf8(std::uint32_t point, char (&to)[4]) noexcept {
    const auto last = [point](unsigned shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) {
        to[0] = static_cast<char>(point);
        return 1;
    }
    if (point < 0x800) {
        to[0] = static_cast<char>(0xC0 | (point >> 6));
        to[1] = last(0);
        return 2;
    }
    if (point < 0x10000) {
        to[0] = static_cast<char>(0xE0 | (point >> 12));
        to[1] = last(6);
        to[2] = last(0);
        return 3;
    }
    to[0] = static_cast<char>(0xF0 | (point >> 18));
    to[1] = last(12);
    to[2] = last(6);
    to[3] = last(0);
    return 4;
}

/// Appends it to a text.
inline void append_utf8(std::string& to, std::uint32_t point) {
    char bytes[4];
    to.append(bytes, write_utf8(point, bytes));
}

}  // namespace kcontrol
