// How messages show a name or a value that others gave.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// `text` in quotes, with control characters escaped. Of more than `most` bytes it has the front, which is not cut
/// within a character, and "…" behind it.
inline std::string in_quotes(std::string_view text, std::size_t most = 200) {
    const std::string_view front = utf8_prefix(text, most);
    return "\"" + escape_control(front) + (front.size() < text.size() ? "…\"" : "\"");
}

}  // namespace kcontrol
