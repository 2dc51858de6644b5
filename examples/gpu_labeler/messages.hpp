// Words that errors have in common.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace gpu_labeler {

/// A value somebody gave, in quotes: control characters escaped, and cut after 100 bytes, but not within a character.
inline std::string in_quotes(std::string_view text) {
    auto shown = text.substr(0, 100);
    const auto continues = [&] { return (static_cast<unsigned char>(text[shown.size()]) & 0xc0) == 0x80; };
    while (shown.size() < text.size() && !shown.empty() && continues()) shown.remove_suffix(1);
    return "\"" + kcontrol::escape_control(shown) + "\"";
}

inline kcontrol::error bad_argument(std::string message) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(message));
}

}  // namespace gpu_labeler
