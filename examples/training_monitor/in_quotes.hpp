// How messages show what somebody gave.
#pragma once

#include <kcontrol/base/log.hpp>

#include <string>
#include <string_view>

namespace training_monitor {

/// A name or value in quotes: control characters escaped, and cut after 200 bytes, but not within a character.
inline std::string in_quotes(std::string_view text) {
    auto shown = text.substr(0, 200);
    const auto continues = [&] { return (static_cast<unsigned char>(text[shown.size()]) & 0xc0) == 0x80; };
    while (shown.size() < text.size() && !shown.empty() && continues()) shown.remove_suffix(1);
    return "\"" + kcontrol::escape_control(shown) + "\"";
}

}  // namespace training_monitor
