// Kinds of jobs as a rule file has them (docs/training_monitor/kinds.md has its fields).
#pragma once

#include <kcontrol/base/result.hpp>

#include "jobs/kind_rule.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace training_monitor {

/// The most bytes that the file may have.
inline constexpr std::size_t most_kind_file_bytes = std::size_t{1} << 20;

/// Reads the text of such a file: one YAML document with known fields only.
/// Errors: invalid_config: all that is wrong, a line each with the field, the value and the remedy.
kcontrol::result<std::vector<kind_rule>> read_kind_file(std::string_view text);

}  // namespace training_monitor
