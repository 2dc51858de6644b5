// The program kcontrol-apiserver, without its process.
#pragma once

#include "options.hpp"

#include <iosfwd>

namespace kcontrol_apiserver {

/// Serves until it is ended by a signal. The exit status.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& log);

}  // namespace kcontrol_apiserver
