// What is printed of a view: one line of JSON.
#pragma once

#include "values/view.hpp"

#include <string>

namespace follow {

/// The line, with its line break. `before` is what was printed last: what came and what went is told against it; a view
/// without endpoints for the first line.
std::string json_line(const view& now, const view& before);

}  // namespace follow
