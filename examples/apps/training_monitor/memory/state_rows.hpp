// What the state file holds and is given, as plain values.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "gpus/gpu_hour_rows.hpp"
#include "history/acknowledgements.hpp"
#include "history/job_record.hpp"
#include "notices/alerts.hpp"
#include "table/totals.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

/// A job as it is to be in the file. Spans have numbers: those before `first_span` are to go, those given are new or
/// changed, the ones between stay.
struct stored_job {
    std::int64_t row = 0;
    std::shared_ptr<const job_view> view;
    job_state state = job_state::unknown;
    kcontrol::wall_time first_seen{}, last_seen{};
    std::optional<kcontrol::wall_time> gone;
    std::optional<job_state> notified;  ///< the column `told`
    std::uint64_t first_span = 0;
    std::vector<std::pair<std::uint64_t, span>> spans;
};

/// What was last known of a cluster.
struct stored_cluster {
    std::string name, origin, server, state, reason;
    kcontrol::wall_time last_seen{};
};

/// When a run of the monitor looked at clusters. A job that it saw and did not lose was in view until its end.
struct run_time {
    kcontrol::wall_time began{}, until{};
    friend bool operator==(const run_time&, const run_time&) = default;
};

struct stored_acknowledgement {
    acknowledgement what;
    bool removed = false;  ///< it is to go
};

struct state_batch {
    std::vector<stored_job> jobs;
    std::vector<std::int64_t> forgotten;  ///< rows
    std::vector<stored_cluster> clusters;
    std::optional<run_time> run;
    std::vector<totals_point> totals;          ///< in the order of times; points from the first of them on are replaced
    std::int64_t totals_from = 0;              ///< seconds since the epoch: points before it are to go
    std::optional<gpu_hours_state> gpu_hours;  ///< rows that changed, and all watches
    std::vector<stored_acknowledgement> acknowledgements;
    std::vector<notices::kept_alert> alerts;  ///< those without jobs are to go
};

/// A cluster that `training_monitor cluster add` put into the file.
struct kept_cluster {
    std::string name;
    std::string path;     ///< the kubeconfig's, also where it is sealed: relative paths in it mean beside it
    std::string context;  ///< empty: the current one
    std::string sealed;   ///< the kubeconfig, encrypted (crypto/seal.hpp); empty: it is read from `path`
    kcontrol::wall_time added{};

    friend bool operator==(const kept_cluster&, const kept_cluster&) = default;
};

}  // namespace training_monitor
