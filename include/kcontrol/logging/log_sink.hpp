// A program's log: one line a record on standard error. The library itself writes nowhere; see base/log.hpp.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>

namespace kcontrol::inline v0_1 {

/// The line of a record, with its line break. As text: `TIME LEVEL message name=value…`; control characters are written
/// as \xNN, and a value that would not stand as one word is in quotes, where quotes and backslashes have one before
/// them. As JSON: an object with time, level, message and the fields.
KCONTROL_DECL std::string log_line(const log_record& record, log_format format, wall_time at);

/// Writes to standard error, each line at once.
///
/// Thread-safety: shared objects safe if the environment is. Object lifetime: the environment outlives it.
KCONTROL_DECL log_sink standard_error_sink(environment& env, log_format format = log_format::text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/logging/impl/log_sink.ipp>
#endif
