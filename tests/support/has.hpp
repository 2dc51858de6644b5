// Whether a text has a part in it.
#pragma once

#include <string>
#include <string_view>

namespace kcontrol::test {

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace kcontrol::test
