// What a job's own answer has beyond its object: its pods, events about it, and which rights would show more.
#pragma once

#include <kcontrol/json/writer.hpp>

#include "pods/insight.hpp"
#include "web/job_offers.hpp"

namespace training_monitor {

/// Members cause, pods, events, missingRights, logs and yaml of an object that the caller opens and closes; the last
/// two say what may be asked for.
void write_evidence(kcontrol::json::writer& out, const job_view& job, const job_evidence& known, cluster_rights rights,
                    job_offers offers);

}  // namespace training_monitor
