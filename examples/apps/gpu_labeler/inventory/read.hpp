// Asks NVML what is there.
#pragma once

#include <kcontrol/base/result.hpp>

#include "inventory/inventory.hpp"
#include "nvml/session.hpp"

namespace gpu_labeler {

/// What is there now. A GPU that answers with an error, or about which a call hangs already, is among the lost ones,
/// and the others are read all the same. Errors: unavailable: no NVML, no driver, or one that is being reloaded; worth
/// trying again later.
kcontrol::result<inventory> read_inventory(nvml_session& session);

}  // namespace gpu_labeler
