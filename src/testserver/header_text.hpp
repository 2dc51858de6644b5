// The parts of the text of a header of a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Cuts the part up to `separator` off the front.
inline std::string_view cut(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trim(head);
}

}  // namespace kcontrol::testing::detail
