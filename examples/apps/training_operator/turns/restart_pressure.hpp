// How hard the cluster has it, as restarts see it: the largest of three figures over their targets.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstdint>

namespace training_operator {

/// A plain state machine: totals and time in. Each figure fades within some ten seconds of silence.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class restart_pressure {
public:
    /// How long gangs may wait for what they run on.
    explicit restart_pressure(kcontrol::duration wait_target) : wait_target_(wait_target) {}

    /// What a client has counted since its start: answers 429, writes that were answered, and how long all of them
    /// took.
    void requests(std::uint64_t throttled, std::uint64_t writes, double write_seconds, kcontrol::time_point now);
    /// How long those gangs have waited on the average that are to start.
    void waiting(kcontrol::duration average) { wait_ = average; }

    /// 1: a target is just met. The targets: one 429 a second, writes of 1 s, and wait_target.
    double value() const;

private:
    kcontrol::duration wait_target_, wait_{};
    std::uint64_t seen_throttled_ = 0, seen_writes_ = 0;
    double seen_seconds_ = 0;
    double throttled_rate_ = 0, latency_ = 0;  // each second, in seconds
    kcontrol::time_point at_{};
    bool begun_ = false;
};

}  // namespace training_operator
