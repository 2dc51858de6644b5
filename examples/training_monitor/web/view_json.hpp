// The JSON face of jobs and clusters: the items of /api/v1/jobs and /api/v1/clusters and the data of events.
#pragma once

#include <kcontrol/json/writer.hpp>

#include "jobs/job_fields.hpp"
#include "jobs/job_view.hpp"
#include "table/cluster_view.hpp"

#include <optional>

namespace training_monitor {

/// `now` is for durationSeconds. `previous` adds previousState. Of the members, those in `fields`.
void write(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now,
           std::optional<job_state> previous = std::nullopt, job_fields fields = {});

void write(kcontrol::json::writer& out, const cluster_view& cluster);

}  // namespace training_monitor
