// What /readyz and /metrics say about the labeler itself.
#pragma once

#include <kcontrol/manager/health.hpp>

#include "reader/event_watch.hpp"
#include "service/labeler_status.hpp"

#include <string>
#include <vector>

namespace gpu_labeler {

/// Ready is a labeler whose node says what is known: `gpus` is well unless the labels are those of GPUs that can't be
/// read now, `labels` unless what is there is not what should be.
std::vector<kcontrol::named_check> readiness_checks(const labeler_status& status);

/// Prometheus' text: what the loop did, how well events are watched, and how many threads hang in the driver.
std::string loop_metrics(const labeler_status& status, const watch_status& watching, int hanging_threads);

}  // namespace gpu_labeler
