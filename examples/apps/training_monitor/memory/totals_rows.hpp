// The fleet's totals in the tables of the state file.
#pragma once

#include <kcontrol/base/result.hpp>

#include "memory/sqlite.hpp"
#include "table/totals.hpp"

#include <cstdint>
#include <vector>

namespace training_monitor {

/// All points, in the order of times. States that this program does not know are left out of them.
kcontrol::result<std::vector<totals_point>> load_totals(sqlite::database& db);

/// Within a transaction of the caller's: `points` take the place of those from the first of them on, for the clock may
/// have been set back; those before `from` (seconds since the epoch) are deleted. Without points nothing is done.
kcontrol::result<void> write_totals(sqlite::database& db, const std::vector<totals_point>& points, std::int64_t from);

}  // namespace training_monitor
