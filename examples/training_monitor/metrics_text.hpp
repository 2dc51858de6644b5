// What /metrics answers, in Prometheus' text format.
#pragma once

#include "event_hub.hpp"
#include "job_table.hpp"

#include <string>

namespace training_monitor {

std::string metrics_text(const job_table& table, const event_hub& hub);

}  // namespace training_monitor
