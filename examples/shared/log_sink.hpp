// A program's log: one line a record on standard error, for people or for machines.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "shared/log_format.hpp"

#include <string>

namespace examples {

/// The line of a record: `TIME LEVEL message name=value…`, or a JSON object. Ends with a line break.
std::string log_line(const kcontrol::log_record& record, log_format format, kcontrol::wall_time now);

/// Writes to standard error. `env` outlives the sink.
kcontrol::log_sink standard_error_sink(kcontrol::environment& env, log_format format);

}  // namespace examples
