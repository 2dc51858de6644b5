// A name from a file or of one, as text that can be shown anywhere.
#pragma once

#include <kcontrol/base/log.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

/// Control characters and bytes that are not UTF-8 stand in it as \xNN, and a backslash as \x5c: different names are
/// different texts.
inline std::string printable_name(std::string_view name) {
    std::string out;
    for (;;) {
        const auto end = name.find('\\');
        out += escape_control(name.substr(0, end));
        if (end == std::string_view::npos) return out;
        out += "\\x5c";
        name.remove_prefix(end + 1);
    }
}

}  // namespace kcontrol::detail
