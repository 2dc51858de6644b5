// Parts of a job that every JSON text about it has: members of an object that the caller opens and closes.
#pragma once

#include <kcontrol/json/writer.hpp>
#include <kcontrol/runtime/time.hpp>

#include "jobs/job_labels.hpp"
#include "jobs/job_view.hpp"

#include <string>
#include <string_view>

namespace training_monitor {

/// `name` with the text, or with null for an empty one.
void write_text_or_null(kcontrol::json::writer& out, std::string_view name, std::string_view text);

/// cluster, namespace, name, kind, apiVersion, uid.
void write_identity(kcontrol::json::writer& out, const job_view& job);

/// startTime, completionTime and durationSeconds, null where there is none. `now` is for what still runs.
void write_times(kcontrol::json::writer& out, const job_view& job, kcontrol::wall_time now);

/// labels, an object.
void write_labels(kcontrol::json::writer& out, const job_labels& labels);

}  // namespace training_monitor
