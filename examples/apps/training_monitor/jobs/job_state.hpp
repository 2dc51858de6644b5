// The normalised state of a training job: one word whatever the kind.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace training_monitor {

/// In the order in which a job usually passes through them.
enum class job_state { unknown, created, queued, pending, running, restarting, suspended, succeeded, failed };

inline constexpr std::array<std::string_view, 9> job_state_names{
    "Unknown", "Created", "Queued", "Pending", "Running", "Restarting", "Suspended", "Succeeded", "Failed"};

constexpr std::string_view to_string(job_state s) noexcept { return job_state_names[static_cast<std::size_t>(s)]; }

/// The state of that name (case counts), or nothing.
constexpr std::optional<job_state> parse_job_state(std::string_view name) noexcept {
    for (std::size_t i = 0; i < job_state_names.size(); ++i) {
        if (job_state_names[i] == name) return static_cast<job_state>(i);
    }
    return std::nullopt;
}

/// Succeeded and Failed: nothing more will happen to the job by itself.
constexpr bool is_final(job_state s) noexcept { return s == job_state::succeeded || s == job_state::failed; }

/// The job asks for its GPUs now, or uses them.
constexpr bool wants_gpus(job_state s) noexcept { return !is_final(s) && s != job_state::suspended; }

}  // namespace training_monitor
