// ASCII letters without regard to their case; other bytes are only equal to themselves.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The small letter of a capital one; any other character as it is.
constexpr char ascii_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The same of a text.
inline std::string ascii_lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = ascii_lower(c);
    return out;
}

/// Whether two texts are the same but for the case of letters.
inline bool iequals(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

/// Whether `text` begins with `prefix`, but for the case of letters.
inline bool istarts_with(std::string_view text, std::string_view prefix) noexcept {
    return iequals(text.substr(0, prefix.size()), prefix);
}

}  // namespace kcontrol
