// Which jobs somebody should look at now, and why: from what is remembered of each. Pure functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "history/job_record.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace training_monitor {

/// In the order of urgency.
enum class concern {
    unreadable,  ///< of a cluster: nothing of it can be read
    failed,      ///< within `failed_for`
    holding,     ///< failed, and its pods hold GPUs for `held_for` at least
    crashing,    ///< a crash loop, for `stuck_for` at least
    restarting,  ///< is in that state, or was so `many_restarts` times within `restarts_within`
    stuck,       ///< a pod can't start, or is refused, for `stuck_for` at least
    unknown,     ///< is in that state for `unknown_for` at least
    incomplete,  ///< runs with fewer pods than wanted, for `incomplete_for` at least
    idle,        ///< runs, and its GPUs have been at 0 % for `idle_for` at least
    waiting,     ///< for `waiting_for` at least
};

std::string_view to_string(concern c) noexcept;

inline constexpr auto failed_for = std::chrono::hours(24);
inline constexpr auto held_for = std::chrono::minutes(1);
inline constexpr auto stuck_for = std::chrono::seconds(20);
inline constexpr auto unknown_for = std::chrono::minutes(2);
inline constexpr auto waiting_for = std::chrono::minutes(15);
inline constexpr auto idle_for = std::chrono::minutes(15);
inline constexpr auto incomplete_for = std::chrono::minutes(5);
inline constexpr auto restarts_within = std::chrono::minutes(10);
inline constexpr std::size_t many_restarts = 3;

struct need {
    concern what = concern::failed;
    kcontrol::wall_time since{};  ///< when its present state began; of one that waits, when the wait began, of an idle
                                  ///< one, the idle time
    std::size_t restarts = 0;     ///< within `restarts_within`
};

/// Runs with fewer pods than wanted. Not a batch Job, which wants more completions than it runs pods at a time.
bool is_incomplete(const job_view& job);

/// Nothing: it can be left alone. `idle_since`: since when its GPUs have been at 0 %, where that is known and so.
std::optional<need> need_of(const job_record& job, kcontrol::wall_time now,
                            std::optional<kcontrol::wall_time> idle_since = std::nullopt);

/// Whether need_of() could find something, from the job alone: it spares looking up what is remembered of jobs that
/// ended long ago.
bool may_need(const job_view& job, kcontrol::wall_time now);

}  // namespace training_monitor
