// `gpu_labeler schedule`: prints when a cron schedule fires.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "cron/time_zone.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// Does `schedule "SPEC" [--from RFC3339] [--count N]`; the arguments are those after the word.
///
/// The answer has one time a line, RFC 3339 with offset: in the schedule's own zone where it names one, else in that of
/// --from, which is `now` in the zone `home` by default. N is 1 to 100000, by default 5.
/// Errors: invalid_argument, naming the flag or the schedule's field, the value and what would be right; also when the
/// schedule never fires.
kcontrol::result<std::string> schedule_command(const std::vector<std::string_view>& arguments, kcontrol::wall_time now,
                                               cron::time_zone home);

/// What `schedule --help` prints.
std::string_view schedule_help() noexcept;

}  // namespace gpu_labeler
