// Which members of a job are written as JSON: all, or those that a reader asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace training_monitor {

enum class job_field {
    cluster,
    name_space,
    name,
    kind,
    api_version,
    uid,
    state,
    previous_state,
    reason,
    message,
    why,
    start_time,
    completion_time,
    duration_seconds,
    gpus,
    replicas,
    terminating,
    labels,
    gpu_usage,
};

/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 19> job_field_names{
    "cluster",        "namespace",       "name",   "kind",     "apiVersion",  "uid",
    "state",          "previousState",   "reason", "message",  "why",         "startTime",
    "completionTime", "durationSeconds", "gpus",   "replicas", "terminating", "labels",
    "gpuUsage"};

constexpr std::string_view to_string(job_field f) noexcept { return job_field_names[static_cast<std::size_t>(f)]; }

/// The field of that name (case counts), or nothing.
constexpr std::optional<job_field> parse_job_field(std::string_view name) noexcept {
    for (std::size_t i = 0; i < job_field_names.size(); ++i) {
        if (job_field_names[i] == name) return static_cast<job_field>(i);
    }
    return std::nullopt;
}

/// A set of them; one that nothing was added to has all.
class job_fields {
public:
    constexpr void add(job_field f) noexcept { bits_ |= bit(f); }
    constexpr bool has(job_field f) const noexcept { return bits_ == 0 || (bits_ & bit(f)) != 0; }

private:
    static constexpr std::uint32_t bit(job_field f) noexcept { return std::uint32_t{1} << static_cast<unsigned>(f); }

    std::uint32_t bits_ = 0;
};

}  // namespace training_monitor
