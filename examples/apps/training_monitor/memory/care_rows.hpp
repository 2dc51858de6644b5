// What people were told of and take care of, in the tables of the state file: acknowledgements and open alerts.
#pragma once

#include <kcontrol/base/result.hpp>

#include "memory/sqlite.hpp"
#include "memory/state_rows.hpp"

#include <vector>

namespace training_monitor {

kcontrol::result<std::vector<acknowledgement>> load_acknowledgements(sqlite::database& db);

/// Those of kinds, states and conditions that this program does not know are left out.
kcontrol::result<std::vector<notices::kept_alert>> load_alerts(sqlite::database& db);

/// Within a transaction of the caller's.
kcontrol::result<void> write_acknowledgements(sqlite::database& db, const std::vector<stored_acknowledgement>& all);
kcontrol::result<void> write_alerts(sqlite::database& db, const std::vector<notices::kept_alert>& all);

}  // namespace training_monitor
