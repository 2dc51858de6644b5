// What a job's own answer has beyond its object: its pods, events about it, and which rights would show more.
#pragma once

#include <kcontrol/json/writer.hpp>

#include "pods/insight.hpp"

namespace training_monitor {

/// Members cause, pods, events and missingRights of an object that the caller opens and closes. `logs`: lines of logs
/// may be asked for.
void write_evidence(kcontrol::json::writer& out, const job_view& job, const job_evidence& known, cluster_rights rights,
                    bool logs);

}  // namespace training_monitor
