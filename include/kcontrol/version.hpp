// The library's version. CMakeLists.txt, conanfile.py and the vcpkg port carry the same.
#pragma once

#include <string_view>

#define KCONTROL_VERSION_MAJOR 0
#define KCONTROL_VERSION_MINOR 1
#define KCONTROL_VERSION_PATCH 0
#define KCONTROL_VERSION_STRING "0.1.0"

namespace kcontrol {

/// "major.minor.patch".
inline constexpr std::string_view library_version = KCONTROL_VERSION_STRING;

}  // namespace kcontrol
