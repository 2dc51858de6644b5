// The kinds of the monitor as the library knows them: what to watch, and how to read what comes.
#pragma once

#include <kcontrol/model/any_object.hpp>
#include <kcontrol/multicluster/kind_choice.hpp>

#include "jobs/job_view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// What to watch for kinds of these names (jobs/kind_names.hpp): of each, whichever version a cluster
/// serves.
std::vector<kcontrol::kind_choice> choose_kinds(const std::vector<std::string>& names);

/// The job that an object of one of these kinds is.
observed_job observe(const kcontrol::resource_info& info, const kcontrol::any_object& object, std::string_view cluster);

}  // namespace training_monitor
