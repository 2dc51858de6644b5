// Words that errors have in common.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/base/utf8.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace follow {

/// A value somebody gave, in quotes: control characters escaped, and cut after 100 bytes, but not within a character.
inline std::string in_quotes(std::string_view text) {
    return "\"" + kcontrol::escape_control(kcontrol::utf8_prefix(text, 100)) + "\"";
}

inline kcontrol::error bad_argument(std::string message) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(message));
}

}  // namespace follow
