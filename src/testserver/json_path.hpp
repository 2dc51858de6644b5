// The JSONPath of printer columns: members, indexes and equality filters.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The values that a path selects: `.a.b`, `[2]`, `[-1:]` (the last), `[*]`, `[?(@.type=="Ready")]`.
/// A path outside of this subset selects nothing. The pointers live as long as `root`.
std::vector<const json::value*> select_path(const json::value& root, std::string_view path);

}  // namespace kcontrol::testing
