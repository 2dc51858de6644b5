// What /api/v1/gpu-hours answers: the GPU hours of jobs, summed up as one asks for them.
#pragma once

#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/time.hpp>

#include "gpus/gpu_hours.hpp"

#include <string_view>

namespace training_monitor {

/// {"since","until","gpuHours","items":[{"day","cluster","namespace","team","gpuHours"}]}. `by` in the query says which
/// of the four an item has, a list with commas: all without it. `cluster`, `namespace` and `team`, each repeatable and
/// a list with commas, restrict; `since` is a day of UTC, a time, or how long ago. By day, the oldest first; else by
/// hours, the most first. Counts up to `now`. 400 for any other query.
kcontrol::http::response gpu_hours_answer(gpu_hours& hours, std::string_view query, kcontrol::wall_time now);

}  // namespace training_monitor
