// The way of a change: the table saw it, history says what it meant, and everybody gets it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "history/history.hpp"
#include "table/change.hpp"

#include <vector>

namespace training_monitor {

class event_hub;
class gpu_hours;
class job_metrics;
class live_output;
class memory;
namespace notices {
class center;
}

/// Who gets the changes. Null: the options leave that one out.
struct change_consumers {
    event_hub& stream;
    job_metrics& metrics;
    live_output& output;
    notices::center* notices = nullptr;
    memory* kept = nullptr;
    gpu_hours* hours = nullptr;
};

/// Thread-safety: shared objects unsafe; use it on the executor of its consumers.
/// Object lifetime: the environment, the history and the consumers outlive it.
class pipeline {
public:
    pipeline(kcontrol::environment& env, history& past, change_consumers to, kcontrol::logger log)
        : env_(env), past_(past), to_(to), log_(std::move(log)) {}

    /// Passes the changes of one event on. Never waits.
    void publish(const std::vector<change>& changes);

private:
    void log_failures(const std::vector<change>& changes) const;
    void log_missed(const std::vector<missed>& found_out) const;

    kcontrol::environment& env_;
    history& past_;
    change_consumers to_;
    kcontrol::logger log_;
};

}  // namespace training_monitor
