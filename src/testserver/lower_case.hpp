// A text in lower case, as singular names of kinds are.
#pragma once

#include <string>

namespace kcontrol::inline v0_1::testing::detail {

inline std::string lower_case(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

}  // namespace kcontrol::testing::detail
