// Numbers about jobs for /metrics, kept as changes come: a scrape never looks through the jobs.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "histogram.hpp"
#include "table/change.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace training_monitor {

/// Thread-safety: shared objects unsafe.
class job_metrics {
public:
    static constexpr std::size_t states = job_state_names.size();

    /// Beyond so many combinations of cluster, namespace and kind, jobs of new ones are counted under the namespace
    /// "(other)": names come from clusters and must not make series without end.
    explicit job_metrics(std::size_t most_groups = 4000) : most_groups_(most_groups) {}

    /// Hears of changes.
    void take(const std::vector<change>& changes, kcontrol::time_point now);

    struct group {
        std::array<std::uint64_t, states> jobs{};
        std::uint64_t all = 0;
        std::int64_t gpus_requested = 0;  ///< of jobs that are not finished
        std::int64_t gpus_running = 0;    ///< of jobs that run
    };
    using group_key = std::tuple<std::string, std::string, std::string_view>;  ///< cluster, namespace, kind
    using transition_key = std::tuple<std::string, std::string_view, job_state>;

    const std::map<group_key, group>& groups() const noexcept { return groups_; }
    /// Into a state, by cluster and kind; every state of those that had a job, until the cluster leaves.
    const std::map<transition_key, std::uint64_t>& transitions() const noexcept { return transitions_; }
    /// How long jobs were in each state, of those that were seen to enter it.
    const std::vector<state_histogram>& time_in_state() const noexcept { return time_in_state_; }
    std::size_t size() const noexcept { return jobs_.size(); }

private:
    struct entry {
        std::map<group_key, group>::iterator at;
        job_state state = job_state::unknown;
        std::int64_t gpus = 0;
        kcontrol::time_point since{};
        bool since_known = false;
    };
    static std::uint64_t key_of(const job_view& job);
    std::map<group_key, group>::iterator group_of(const job_view& job);
    void begin_at_zero(const job_view& job);
    static void count(entry& e);
    void uncount(entry& e);
    void leave_state(const entry& e, kcontrol::time_point now);
    void see(const change& c, kcontrol::time_point now);

    std::size_t most_groups_;
    std::map<group_key, group> groups_;
    std::map<transition_key, std::uint64_t> transitions_;
    std::vector<state_histogram> time_in_state_{states, state_histogram(state_bounds)};
    std::unordered_map<std::uint64_t, entry> jobs_;  // by a hash of the name; nothing depends on its order
};

}  // namespace training_monitor
