// Parts of a job that every JSON text about it has: members of an object that the caller opens and closes.
#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/runtime/time.hpp>

#include "jobs/job_labels.hpp"
#include "jobs/job_view.hpp"

namespace training_monitor {

/// cluster, namespace, name, kind, apiVersion, uid.
void write_identity(kcontrol::json::writer& out, const job_view& job);

/// startTime, completionTime and durationSeconds, null where there is none. `now` is for what still runs.
void write_times(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now);

/// The labels, as an object that is the value of a key.
void write_label_values(kcontrol::json::writer& out, const job_labels& labels);

/// labels, an object.
void write_labels(kcontrol::json::writer& out, const job_labels& labels);

}  // namespace training_monitor
