// The parts of the text of a header of a request.
#pragma once

#include <kcontrol/base/trim.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

// Cuts the part up to `separator` off the front.
inline std::string_view cut(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trim_blanks(head, line_blanks);
}

}  // namespace kcontrol::testing::detail
