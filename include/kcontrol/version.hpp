// The version of the library: the one place that says it. CMake and conanfile.py read it here.
#pragma once

#include <string_view>

#define KCONTROL_VERSION_MAJOR 0
#define KCONTROL_VERSION_MINOR 1
#define KCONTROL_VERSION_PATCH 0
// MAJOR * 10000 + MINOR * 100 + PATCH, for #if.
#define KCONTROL_VERSION (KCONTROL_VERSION_MAJOR * 10000 + KCONTROL_VERSION_MINOR * 100 + KCONTROL_VERSION_PATCH)
#define KCONTROL_VERSION_STRING "0.1.0"

namespace kcontrol::inline v0_1 {

/// "major.minor.patch". A constant: safe from any thread, at any time.
inline constexpr std::string_view library_version = KCONTROL_VERSION_STRING;

}  // namespace kcontrol
