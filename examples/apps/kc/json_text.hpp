// JSON for people, as kubectl prints it.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>

namespace kc {

/// Members in order of their names, four spaces for each level, and without characters that HTML would take for its
/// own: what encoding/json of Go writes.
std::string indented_json(const kcontrol::json::value& whole);

}  // namespace kc
