// The text of a quantity taken apart: digits, suffix, and what a wrong one may have meant.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

struct quantity_suffix {
    std::string_view text;
    int tens = 0;
    int twos = 0;
};

inline constexpr std::array<quantity_suffix, 16> quantity_suffixes{{{"", 0, 0},
                                                                    {"n", -9, 0},
                                                                    {"u", -6, 0},
                                                                    {"m", -3, 0},
                                                                    {"k", 3, 0},
                                                                    {"M", 6, 0},
                                                                    {"G", 9, 0},
                                                                    {"T", 12, 0},
                                                                    {"P", 15, 0},
                                                                    {"E", 18, 0},
                                                                    {"Ki", 0, 10},
                                                                    {"Mi", 0, 20},
                                                                    {"Gi", 0, 30},
                                                                    {"Ti", 0, 40},
                                                                    {"Pi", 0, 50},
                                                                    {"Ei", 0, 60}}};

inline std::string_view quantity_suffix_of(int tens, int twos) {
    for (const auto& suffix : quantity_suffixes) {
        if (suffix.tens == tens && suffix.twos == twos) return suffix.text;
    }
    return {};
}

/// A quantity's text taken apart: digits without leading zeros, and what they are multiplied by.
struct quantity_parts {
    bool negative = false;
    bool any_digit = false;
    std::string digits;     // of the whole and of the fraction, as one number
    std::size_t whole = 0;  // how many of them stand before the point; 0 also if the fraction began with zeros
    std::int64_t tens = 0;  // the exponent of ten, the fraction's length counted in
    int twos = 0;
    quantity_format format = quantity_format::decimal_si;
};

inline std::size_t quantity_count_digits(std::string_view text, std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end - from;
}

inline bool quantity_read_suffix(std::string_view text, quantity_parts& to) {
    for (const auto& suffix : quantity_suffixes) {
        if (suffix.text != text) continue;
        to.tens = suffix.tens;
        to.twos = suffix.twos;
        to.format = suffix.twos > 0 ? quantity_format::binary_si : quantity_format::decimal_si;
        return true;
    }
    if (text.front() != 'e' && text.front() != 'E') return false;
    text.remove_prefix(1);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars takes no '+'
    std::int64_t exponent = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (code != std::errc() || end != text.data() + text.size()) return false;
    // The API server keeps 32 bits of it, so we must not see another amount there.
    to.tens = static_cast<std::int32_t>(static_cast<std::uint32_t>(exponent));
    to.format = quantity_format::decimal_exponent;
    return true;
}

// As lenient as Go: "5.", ".5", "." and "k" are read, the last two as 0.
inline std::optional<quantity_parts> quantity_split(std::string_view text) {
    quantity_parts parts;
    if (text.empty()) return std::nullopt;
    std::size_t at = 0;
    if (text[0] == '+' || text[0] == '-') {
        parts.negative = text[0] == '-';
        ++at;
    }
    std::size_t count = quantity_count_digits(text, at);
    std::string_view whole = text.substr(at, count);
    std::string_view fraction;
    at += count;
    if (at < text.size() && text[at] == '.') {
        count = quantity_count_digits(text, at + 1);
        fraction = text.substr(at + 1, count);
        at += 1 + count;
    }
    if (!quantity_read_suffix(text.substr(at), parts)) return std::nullopt;
    parts.any_digit = !whole.empty() || !fraction.empty();
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    parts.whole = whole.size();
    parts.tens -= static_cast<std::int64_t>(fraction.size());
    parts.digits.reserve(whole.size() + fraction.size());
    parts.digits.append(whole).append(fraction);
    if (whole.empty()) parts.digits.erase(0, std::min(parts.digits.find_first_not_of('0'), parts.digits.size()));
    return parts;
}

inline std::string quantity_hint(std::string_view text) {
    const auto at = std::min(text.find_first_not_of("+-.0123456789"), text.size());
    const auto suffix = text.substr(at);
    if (text.find(',') != std::string_view::npos) return "; the decimal point is '.'";
    if (suffix == "K") return "; write k for 1000 or Ki for 1024";
    if (suffix == "g" || suffix == "gi" || suffix == "GB" || suffix == "GiB")
        return "; write G for 10^9 or Gi for 2^30";
    if (suffix == "mi" || suffix == "MB" || suffix == "MiB") return "; write M for 10^6 or Mi for 2^20";
    return {};
}

inline error quantity_error(std::string_view text) {
    return error(errc::invalid_argument,
                 "\"" + escape_control(text.substr(0, 64)) +
                     "\" is not a quantity; expected a number and one of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, "
                     "Pi, Ei, or an exponent as in 2e3" +
                     quantity_hint(text));
}

}  // namespace kcontrol::detail
