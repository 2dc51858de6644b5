// How errors of the configuration are worded.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor::notices {

inline kcontrol::error bad_config(std::string text) {
    return kcontrol::error(kcontrol::errc::invalid_config, std::move(text));
}

/// A name that the file holds, in quotes: control characters escaped, and cut after 200 bytes.
inline std::string in_quotes(std::string_view text) {
    return "\"" + kcontrol::escape_control(text.substr(0, 200)) + "\"";
}

}  // namespace training_monitor::notices
