// When a rule keeps its notices back. Pure functions.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace training_monitor::notices {

/// Each day from `from` to `to`, which may lie on the next day, by a clock that is `offset` ahead of UTC.
struct quiet_hours {
    std::chrono::minutes from{}, to{}, offset{};

    friend bool operator==(const quiet_hours&, const quiet_hours&) = default;
};

/// Reads "22:00" and "07:00", and "+08:00", "-03:30" or nothing. Errors: invalid_config, naming the field.
kcontrol::result<quiet_hours> read_quiet_hours(std::string_view from, std::string_view to, std::string_view offset);

/// When the quiet hours end in which `now` is; nothing: it is in none.
std::optional<kcontrol::wall_time> quiet_until(const quiet_hours& hours, kcontrol::wall_time now);

}  // namespace training_monitor::notices
