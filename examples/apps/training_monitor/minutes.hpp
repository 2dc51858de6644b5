// What is recorded at the beginning of every minute, and what is forgotten from time to time.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "history/history.hpp"
#include "table/job_table.hpp"
#include "table/totals.hpp"

#include <stop_token>

namespace training_monitor {

class gpu_hours;
class memory;

/// Counts the GPU hours, and records a point of the totals a minute until `stop`, and has it kept where `kept` is not
/// null. Until the clusters have settled after the start there is none, for two minutes at most: a fleet that is still
/// being listed would be a dip in the charts.
kcontrol::awaitable<void> record_minutes(kcontrol::environment& env, const job_table& table, gpu_hours& hours,
                                         totals& points, memory* kept, std::stop_token stop);

/// Where no file keeps what is remembered, the program does, and must not grow for ever: until `stop`, keeps the past
/// within bounds, every ten minutes.
kcontrol::awaitable<void> forget_old(kcontrol::environment& env, history& past, kcontrol::duration retain_for,
                                     std::stop_token stop);

}  // namespace training_monitor
