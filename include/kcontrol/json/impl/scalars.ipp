// Whether a number or a string is JSON, for those who read a text themselves.
#pragma once

#include <kcontrol/json/impl/parse.ipp>

#include <charconv>
#include <string_view>

namespace kcontrol::json::detail {

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

/// Whether the escapes of a string are good. `text` is the string with its quotes.
inline bool has_good_escapes(std::string_view text) {
    std::string_view rest = text.substr(1, text.size() - 2);
    for (std::size_t at = rest.find('\\'); at != std::string_view::npos; at = rest.find('\\')) {
        rest.remove_prefix(at);
        if (rest.size() < 2) return false;
        std::size_t length = 2;
        if (rest[1] == 'u') {
            length = 6;
            std::uint32_t point = 0;
            if (rest.size() < length) return false;
            const auto read = std::from_chars(rest.data() + 2, rest.data() + length, point, 16);
            if (read.ec != std::errc() || read.ptr != rest.data() + length) return false;
            // Half of a pair: the parser knows whether the other half is there.
            if (point >= 0xD800 && point < 0xE000) return is_parsed(text);
        } else if (std::string_view("\"\\/bfnrt").find(rest[1]) == std::string_view::npos) {
            return false;
        }
        rest.remove_prefix(length);
    }
    return true;
}

}  // namespace kcontrol::json::detail
