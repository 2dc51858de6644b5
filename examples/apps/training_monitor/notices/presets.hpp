// Rules that need not be written: `preset: on-call | team | audit` of a receiver.
#pragma once

#include "notices/config.hpp"
#include "notices/config_file.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// on-call: what wakes people up. team: what happens to jobs, and what lasts too long. audit: everything.
inline constexpr std::array<std::string_view, 3> preset_names{"on-call", "team", "audit"};

/// Adds the rules of each receiver's preset behind those of the file: none of them ends the search of the others.
/// docs/training_monitor/notices.md lists them. `sections` are those that `to.receivers` were read from.
void add_presets(const std::vector<receiver_section>& sections, notice_config& to);

}  // namespace training_monitor::notices
