// Jobs and their spans in the tables of the state file.
#pragma once

#include <kcontrol/base/result.hpp>

#include "history/job_record.hpp"
#include "memory/sqlite.hpp"
#include "memory/state_rows.hpp"

#include <cstdint>
#include <vector>

namespace training_monitor {

/// All jobs that are remembered, in the order of their rows. Those of kinds that this program does not know are left
/// out.
kcontrol::result<std::vector<job_record>> load_jobs(sqlite::database& db);

/// The highest row in use, also by jobs that load_jobs() leaves out; 0 if there is none.
kcontrol::result<std::int64_t> last_job_row(sqlite::database& db);

/// Both within a transaction of the caller's.
kcontrol::result<void> write_jobs(sqlite::database& db, const std::vector<stored_job>& jobs);
kcontrol::result<void> forget_jobs(sqlite::database& db, const std::vector<std::int64_t>& rows);

}  // namespace training_monitor
