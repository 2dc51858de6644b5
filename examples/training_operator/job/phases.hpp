// The phases of a job and the steps between them: the table that every write of a phase is checked against, and that
// docs/training_operator/phases.md is drawn from.
#pragma once

#include <kcontrol/controllerutil/phases.hpp>

namespace training_operator {

using kcontrol::phase;

inline constexpr kcontrol::phase_table phases(
    phase("Pending").to("Starting", "Suspended", "Failed").lacks("Running").lacks("Suspended"),
    phase("Starting").to("Running", "Pending", "Restarting", "Suspended", "Succeeded", "Failed").lacks("Running"),
    phase("Running").to("Restarting", "Suspended", "Succeeded", "Failed").holds("Running"),
    phase("Restarting").to("Starting", "Suspended", "Failed").lacks("Running"),
    phase("Suspended").to("Pending").lacks("Running").holds("Suspended"),
    phase("Succeeded").terminal().lacks("Running").holds("Complete"),
    phase("Failed").terminal().lacks("Running").holds("Failed"));

}  // namespace training_operator
