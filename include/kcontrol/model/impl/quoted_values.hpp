// The values of a selector's expression, as messages show them.
#pragma once

#include <kcontrol/base/log.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// The first few, as objects come from people.
inline std::string quoted_values(const std::vector<std::string>& values) {
    if (values.empty()) return "values []: ";
    std::string out = "values [";
    for (std::size_t i = 0; i < values.size() && i < 4; ++i) {
        out += (i == 0 ? "\"" : ", \"") + escape_control(values[i].substr(0, 80)) + "\"";
    }
    return out + (values.size() > 4 ? ", …]: " : "]: ");
}

}  // namespace kcontrol::detail
