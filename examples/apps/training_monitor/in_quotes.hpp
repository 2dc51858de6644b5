// How messages show what somebody gave.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>

#include <string>
#include <string_view>

namespace training_monitor {

/// A name or value in quotes: control characters escaped, and cut after 200 bytes, but not within a character.
inline std::string in_quotes(std::string_view text) {
    return "\"" + kcontrol::escape_control(kcontrol::utf8_prefix(text, 200)) + "\"";
}

}  // namespace training_monitor
