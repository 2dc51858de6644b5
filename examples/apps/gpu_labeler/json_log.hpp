// The log as JSON for machines: what counts something is a number there. The library's records have text only.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>

namespace gpu_labeler {

/// The line of a record with its line break, as kcontrol::log_line makes it, but for the fields that count something
/// (gpus, xid, milliseconds, …): those are numbers. Which they are goes by their names, so that a field has one type in
/// all records: a node that is called 42 stays text.
std::string json_log_line(const kcontrol::log_record& record, kcontrol::wall_time at);

/// Writes to standard error, each line at once: JSON with numbers, or the library's text.
///
/// Thread-safety and object lifetime: as kcontrol::standard_error_sink.
kcontrol::log_sink log_to_standard_error(kcontrol::environment& env, kcontrol::log_format format);

}  // namespace gpu_labeler
