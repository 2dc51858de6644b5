// The phases of a job and the steps between them: the table that every write of a phase is checked against, and that
// docs/training_operator/phases.md is drawn from.
#pragma once

#include <kcontrol/controllerutil/phases.hpp>

namespace training_operator {

using kcontrol::phase;

inline constexpr kcontrol::phase_table phases(
    phase("Pending")
        .to("DataCheck", "Queued", "Starting", "Validating", "Suspended", "Failed")
        .lacks("Running")
        .lacks("Suspended"),
    phase("DataCheck").to("Queued", "Starting", "Suspended", "Failed").lacks("Running"),
    phase("Queued").to("Starting", "Restarting", "Suspended", "Failed").lacks("Running"),
    phase("Starting")
        .to("Running", "Pending", "Restarting", "Validating", "Promoting", "Suspended", "Succeeded", "Failed")
        .lacks("Running"),
    phase("Running").to("Restarting", "Validating", "Promoting", "Suspended", "Succeeded", "Failed").holds("Running"),
    phase("Restarting").to("Queued", "Starting", "Suspended", "Failed").lacks("Running"),
    phase("Validating").to("Promoting", "Succeeded", "ValidationFailed", "Suspended", "Failed").lacks("Running"),
    phase("Promoting").to("Succeeded", "Failed").lacks("Running"),
    phase("Suspended").to("Pending").lacks("Running").holds("Suspended"),
    phase("Succeeded").terminal().lacks("Running").holds("Complete"),
    phase("ValidationFailed").terminal().lacks("Running").holds("Failed"),
    phase("Failed").terminal().lacks("Running").holds("Failed"));

}  // namespace training_operator
