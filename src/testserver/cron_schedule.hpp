// Schedules of CronJobs, as Kubernetes' parser (github.com/robfig/cron/v3, ParseStandard) judges them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// What is wrong with a schedule, in that parser's words; nothing: it is one.
std::optional<std::string> cron_problem(std::string_view schedule);

}  // namespace kcontrol::testing
