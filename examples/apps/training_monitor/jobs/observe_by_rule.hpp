// From an object of a kind that is read by a rule to the normalised job. Pure functions.
#pragma once

#include <kcontrol/codec/dynamic_object.hpp>

#include "jobs/job_view.hpp"
#include "jobs/ruled_kinds.hpp"

#include <string_view>

namespace training_monitor {

/// `version` is one of the kind's.
observed_job observe(const ruled_kind& kind, const ruled_kind::version& version, const kcontrol::dynamic_object& object,
                     std::string_view cluster);

/// What its own page shows beyond that.
job_details details_of(const ruled_kind& kind, const kcontrol::dynamic_object& object);

}  // namespace training_monitor
