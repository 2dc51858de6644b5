// What /metrics answers, in Prometheus' text format.
#pragma once

#include "table/job_table.hpp"
#include "web/event_hub.hpp"

#include <string>

namespace training_monitor {

std::string metrics_text(const job_table& table, const event_hub& hub);

}  // namespace training_monitor
