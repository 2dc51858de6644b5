// The tables of the state file, and how a file of an older version gets them.
#pragma once

#include <kcontrol/base/result.hpp>

#include "memory/sqlite.hpp"

#include <cstdint>

namespace training_monitor {

inline constexpr std::int64_t state_application_id = 0x6b637472;  // "kctr"
inline constexpr std::int64_t state_schema_version = 4;

/// Whether the whole file is read for damage, which takes a while.
enum class integrity_check { none, quick };

/// Makes a file that was just opened ready for use: tables, an older schema brought up to date, and settings of the
/// connection. A file that is newer, damaged or something else is an error, and is left as it is.
/// Errors: file_failed, naming the file, what is wrong and the remedy.
kcontrol::result<void> prepare_state_schema(sqlite::database& db, integrity_check check);

}  // namespace training_monitor
