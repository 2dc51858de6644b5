// What /metrics answers, in Prometheus' text format.
#pragma once

#include "notices/dispatcher.hpp"
#include "table/job_table.hpp"
#include "web/event_hub.hpp"
#include "web/job_metrics.hpp"

#include <string>

namespace training_monitor {

/// Of clusters and the event stream.
std::string metrics_text(const job_table& table, const event_hub& hub);

/// Of jobs. Costs by the series, not by the jobs.
std::string job_metrics_text(const job_metrics& jobs);

std::string notice_metrics_text(const notices::dispatcher& notices);

}  // namespace training_monitor
