// Cases for a tracing system: a span from the opening to the end, and under it a span per phase.
#pragma once

#include <kcontrol/manager/manager.hpp>
#include <kcontrol/runtime/trace.hpp>

#include "api/node_repair.hpp"

#include <string_view>
#include <vector>

namespace gpu_healer {

/// A phase that a case was in, as its timeline says.
struct passed_phase {
    std::string_view phase, reason;  ///< static text; of the timeline
    wall_time from{}, to{};
};

/// Those that have ended, in order. They refer to the case.
std::vector<passed_phase> phases_passed(const node_repair& of);

/// The spans of a case that has ended: `node_repair` with node, policy, reason (of the fault), result (Released, or the
/// reason of Cancelled) and attempts, and one under it per phase, with the reason with which it began. The trace's id
/// is the case's UID. No message is among them: that may hold what a server of repairs has answered.
std::vector<trace_span> spans_of(const node_repair& of, environment& env, const trace_sampler& sampled);

/// Sends them where the manager's options send spans, as cases end while this replica leads. Does nothing without a
/// sink. It lasts as long as the manager.
void add_case_spans(manager& m);

}  // namespace gpu_healer
