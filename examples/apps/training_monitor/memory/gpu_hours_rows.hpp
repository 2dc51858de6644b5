// GPU hours in the tables of the state file.
#pragma once

#include <kcontrol/base/result.hpp>

#include "gpus/gpu_hour_rows.hpp"
#include "memory/sqlite.hpp"

namespace training_monitor {

/// All rows and watches.
kcontrol::result<gpu_hours_state> load_gpu_hours(sqlite::database& db);

/// Within a transaction of the caller's: writes these rows over those that are there, deletes those of days before the
/// first, and puts these watches in the place of all others.
kcontrol::result<void> write_gpu_hours(sqlite::database& db, const gpu_hours_state& state);

}  // namespace training_monitor
