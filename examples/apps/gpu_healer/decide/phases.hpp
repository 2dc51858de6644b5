// The phases of a case and the steps between them: the table that every write of a phase is checked against, and that
// docs/gpu_healer.md is drawn from.
#pragma once

#include <kcontrol/controllerutil/phases.hpp>

#include <string_view>

namespace gpu_healer {

using kcontrol::phase;

inline constexpr kcontrol::phase_table phases(
    phase("Suspected").to("Held", "Quarantined", "Cancelled").lacks("NeedsHuman"),
    phase("Held").to("Quarantined", "Cancelled"),
    phase("Quarantined").to("Draining", "Verifying", "NeedsHuman", "Cancelled").lacks("NeedsHuman"),
    phase("Draining").to("Repairing", "Verifying", "NeedsHuman", "Cancelled"),
    phase("Repairing").to("Draining", "Verifying", "NeedsHuman", "Cancelled"),
    phase("Verifying").to("Quarantined", "NeedsHuman", "Released", "Cancelled").lacks("NeedsHuman"),
    phase("NeedsHuman").to("Verifying", "Cancelled").holds("NeedsHuman"),
    phase("Released").terminal().lacks("NeedsHuman"), phase("Cancelled").terminal().lacks("NeedsHuman"));

constexpr bool has_ended(std::string_view name) { return name == "Released" || name == "Cancelled"; }
/// Those in which the node has the taint.
constexpr bool is_quarantined(std::string_view name) {
    return name == "Quarantined" || name == "Draining" || name == "Repairing" || name == "Verifying" ||
           name == "NeedsHuman";
}
/// Those that `atOnce` counts.
constexpr bool is_worked_on(std::string_view name) { return name == "Draining" || name == "Repairing"; }

}  // namespace gpu_healer
