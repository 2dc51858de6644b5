// Jobs and clusters as the tests of the terminal's view take them.
#pragma once

#include "table/job_table.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace training_monitor::tests {

inline constexpr std::int64_t now_seconds = 1'000'000;
inline const kcontrol::wall_time now{std::chrono::seconds(now_seconds)};

/// In cluster a, namespace ml. One that ended did so `ended_before` seconds ago.
inline observed_job a_job(std::string name, job_state state, std::string version = "1",
                          std::int64_t ended_before = 60) {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = name;
    out.view.name = std::move(name);
    out.view.kind = "Job";
    out.view.api_version = "batch/v1";
    out.view.state = state;
    out.view.start_time = now_seconds - 100'000;
    if (is_final(state)) out.view.completion_time = now_seconds - ended_before;
    out.resource_version = std::move(version);
    return out;
}

inline cluster_view a_cluster(std::string name, std::string state = "live", std::string reason = "") {
    cluster_view out;
    out.name = std::move(name);
    out.state = std::move(state);
    out.reason = std::move(reason);
    return out;
}

}  // namespace training_monitor::tests
