// A text without the blanks around it.
#pragma once

#include <string_view>

namespace kcontrol::inline v0_1 {

/// What may stand around the parts of a line, such as a header.
inline constexpr std::string_view line_blanks = " \t";
/// What may stand around a text of several lines, or the content of a file.
inline constexpr std::string_view text_blanks = " \t\r\n";

/// `text` from its first to its last character that is none of `blanks`; the result refers to `text`. Empty: there is
/// none.
constexpr std::string_view trim_blanks(std::string_view text, std::string_view blanks = text_blanks) noexcept {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace kcontrol
