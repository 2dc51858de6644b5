// The only file that includes simdjson: a text into its tree, and which numbers it takes.
#pragma once

#include <kcontrol/json/detail/find_quote.hpp>

#include <simdjson.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::json::detail {

// simdjson counts the place for the next value too, so a document of depth 256 needs one more.
inline constexpr std::size_t reader_max_depth = 256 + 1;

/// simdjson takes no integer beyond 64 bits, but Go writes a float64 such as 1e20 as one. The text with an exponent
/// behind each that may be; empty if there is none.
inline std::string with_wide_integers_marked(std::string_view text) {
    constexpr std::size_t digits_of_64_bits = 19;
    std::string marked;
    std::size_t copied = 0;
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            string_marks marks;
            const char* const behind = end_of_string(text.data() + at + 1, text.data() + text.size(), marks);
            at = behind == nullptr ? text.size() : static_cast<std::size_t>(behind - text.data());
        } else if (is_digit(at)) {
            const std::size_t first = at;
            while (is_digit(at)) ++at;
            const std::string_view digits = text.substr(first, at - first);
            const bool goes_on = at < text.size() && (text[at] == '.' || text[at] == 'e' || text[at] == 'E');
            const bool begins = first == 0 || (text[first - 1] != '.' && text[first - 1] != '+');
            std::uint64_t value = 0;
            const bool negative = first > 0 && text[first - 1] == '-';
            const bool fits = digits.size() < digits_of_64_bits ||
                              (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc() &&
                               (!negative || value <= std::uint64_t{1} << 63U));
            if (goes_on || fits || !begins) {
                while (at < text.size() &&
                       (is_digit(at) || std::string_view(".eE+-").find(text[at]) != std::string_view::npos))
                    ++at;
                continue;
            }
            marked.append(text.substr(copied, at - copied)).append("e0");
            copied = at;
        } else {
            ++at;
        }
    }
    if (copied > 0) marked.append(text.substr(copied));
    return marked;
}

/// Whether the parser says that an integer, or any number, is not one that it takes: newer ones have two words for it.
template <class Code>
constexpr bool is_number_error(Code code) {
    if constexpr (requires { Code::BIGINT_ERROR; }) return code == Code::NUMBER_ERROR || code == Code::BIGINT_ERROR;
    return code == Code::NUMBER_ERROR;
}

/// Parses a text that is not empty into the tree of the parser, whose memory is used again.
inline simdjson::error_code parse_text(simdjson::dom::parser& parser, std::string_view text) {
    // The depth is set where memory is allocated, and kept from then on.
    if (parser.max_depth() != reader_max_depth) {
        const std::size_t capacity = text.size() < 512 ? 512 : text.size();
        if (capacity > parser.max_capacity()) return simdjson::CAPACITY;
        if (const auto code = parser.allocate(capacity, reader_max_depth)) return code;
    }
    // Newer ones skip a byte order mark, which JSON between systems must not have (RFC 8259 §8.1) and Go refuses.
    if (text.starts_with("\xef\xbb\xbf")) return simdjson::TAPE_ERROR;
    // The call copies the text into a buffer of its own, which has the padding that simdjson needs.
    const auto code = parser.parse(text.data(), text.size(), true).error();
    if (!is_number_error(code)) return code;
    const std::string marked = with_wide_integers_marked(text);
    return marked.empty() ? code : parser.parse(marked.data(), marked.size(), true).error();
}

}  // namespace kcontrol::json::detail
