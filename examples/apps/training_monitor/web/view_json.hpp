// The JSON face of jobs and clusters: the items of /api/v1/jobs and /api/v1/clusters and the data of events.
#pragma once

#include <kcontrol/json/writer.hpp>

#include "jobs/cluster_view.hpp"
#include "jobs/job_fields.hpp"
#include "jobs/job_view.hpp"

#include <functional>
#include <optional>

namespace training_monitor {

/// Writes the members of a job that the view has not: gpuUsage.
using more_of_job = std::function<void(kcontrol::json::writer&, const job_view&)>;

/// `now` is for durationSeconds. `previous` adds previousState. Of the members, those in `fields`, and of those that
/// the view has not, what `more` writes.
void write(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now,
           std::optional<job_state> previous = std::nullopt, job_fields fields = {}, const more_of_job& more = {});

void write(kcontrol::json::writer& out, const cluster_view& cluster);

}  // namespace training_monitor
