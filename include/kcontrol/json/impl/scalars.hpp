// Whether a number or a string is JSON, for those who read a text themselves.
#pragma once

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/json/impl/parse.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1::json::detail {

inline bool is_parsed(std::string_view text) {
    simdjson::dom::parser parser;
    return parse_text(parser, text) == simdjson::SUCCESS;
}

inline bool has_number_form(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto digits = [&] {
        const char* first = at;
        while (at != end && *at >= '0' && *at <= '9') ++at;
        return static_cast<std::size_t>(at - first);
    };
    if (at != end && *at == '-') ++at;
    const bool zero = at != end && *at == '0';
    const std::size_t count = digits();
    if (count == 0 || (zero && count > 1)) return false;
    if (at != end && *at == '.') {
        ++at;
        if (digits() == 0) return false;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        if (digits() == 0) return false;
    }
    return at == end;
}

/// Whether it is a number as JSON has them, and not too large for a double.
inline bool is_number(std::string_view text) {
    if (!has_number_form(text)) return false;
    constexpr std::size_t surely_fits = 300;  // a double has 308 digits before the point
    if (text.size() <= surely_fits && text.find_first_of("eE") == std::string_view::npos) return true;
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) return true;
    // Too large or too small: the parser says which.
    return is_parsed(text);
}

/// The code unit of an escape \uXXXX at the front of a text.
inline bool read_code_unit(std::string_view text, std::uint32_t& unit) {
    constexpr std::size_t length = 6;
    if (text.size() < length || text[0] != '\\' || text[1] != 'u') return false;
    const auto read = std::from_chars(text.data() + 2, text.data() + length, unit, 16);
    return read.ec == std::errc() && read.ptr == text.data() + length;
}

/// The code point of such an escape, or of two that are a pair, and how long that is. Half a pair is none.
inline bool read_code_point(std::string_view text, std::uint32_t& point, std::size_t& length) {
    if (!read_code_unit(text, point)) return false;
    length = 6;
    if (point < 0xD800 || point >= 0xE000) return true;
    std::uint32_t low = 0;
    if (point >= 0xDC00 || !read_code_unit(text.substr(length), low) || low < 0xDC00 || low >= 0xE000) return false;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
    length = 12;
    return true;
}

/// Calls with the content of a string piece by piece, without its escapes. False if one of them is wrong.
template <class Take>
bool visit_unescaped(std::string_view content, Take take) {
    while (!content.empty()) {
        const std::size_t run = std::min(content.find('\\'), content.size());
        take(content.substr(0, run));
        content.remove_prefix(run);
        if (content.empty()) break;
        if (content.size() < 2) return false;
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        std::size_t length = 2;
        if (const std::size_t found = letters.find(content[1]); found != std::string_view::npos) {
            take(meanings.substr(found, 1));
        } else {
            std::uint32_t point = 0;
            if (!read_code_point(content, point, length)) return false;
            char bytes[4];
            take(std::string_view(bytes, write_utf8(point, bytes)));
        }
        content.remove_prefix(length);
    }
    return true;
}

/// Whether the escapes in the content of a string are right.
inline bool has_good_escapes(std::string_view content) {
    return visit_unescaped(content, [](std::string_view) {});
}

}  // namespace kcontrol::json::detail
