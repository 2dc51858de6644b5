// How many jobs there are in each state, and what GPUs they ask for and use: kept up to date, never counted anew.
#pragma once

#include "jobs/job_view.hpp"

#include <array>
#include <cstdint>

namespace training_monitor {

/// `gpus_requested` is what jobs ask for that want to run: neither finished nor suspended. `gpus_running` is what those
/// of them ask for that are Running.
struct job_counts {
    std::array<std::uint64_t, job_state_names.size()> states{};
    std::int64_t gpus_requested = 0;
    std::int64_t gpus_running = 0;

    void add(const job_view& job) { count(job, 1); }
    /// The job as it was when it was added.
    void remove(const job_view& job) { count(job, -1); }

    friend bool operator==(const job_counts&, const job_counts&) = default;

private:
    void count(const job_view& job, int times) {
        states[static_cast<std::size_t>(job.state)] += static_cast<std::uint64_t>(times);
        if (wants_gpus(job.state)) gpus_requested += times * job.gpus;
        if (job.state == job_state::running) gpus_running += times * job.gpus;
    }
};

}  // namespace training_monitor
