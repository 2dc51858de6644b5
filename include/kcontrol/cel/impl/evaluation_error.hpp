// What an evaluation ends with.
#pragma once

#include <kcontrol/base/error.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::cel::detail {

inline error evaluation_error(std::string what) { return error(errc::invalid_argument, std::move(what)); }
inline error no_overload() { return evaluation_error("no such overload"); }

}  // namespace kcontrol::cel::detail
