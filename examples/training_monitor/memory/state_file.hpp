// The file behind --state: its schema, and what is read from it and written to it. It blocks; memory.hpp keeps it off
// the event loop.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include "history/job_record.hpp"
#include "memory/sqlite.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

struct state_batch {
    std::vector<stored_job> jobs;
    std::vector<std::int64_t> forgotten;  ///< rows
    std::vector<stored_cluster> clusters;
    std::optional<run_time> run;
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

/// Thread-safety: shared objects unsafe; it may move from thread to thread.
class state_file {
public:
    static constexpr std::int64_t application_id = 0x6b637472;  // "kctr"
    static constexpr std::int64_t schema_version = 1;

    enum class use {
        monitor,   ///< keeps it for itself against other monitors until it is destroyed; checks all of it
        command,   ///< beside a monitor; makes the file if it is not there
        existing,  ///< likewise, but the file must be there
    };

    /// Opens or makes the file and brings an older schema up to date. A file that is damaged, newer or something else
    /// is an error; it is left as it is.
    /// Errors: file_failed, naming the file, what is wrong and the remedy.
    static kcontrol::result<std::unique_ptr<state_file>> open(const std::string& path, use how);

    /// All jobs that are remembered, in the order of their rows. Those of kinds that this program does not know are
    /// left out.
    kcontrol::result<std::vector<job_record>> load_jobs();

    /// The highest row in use, also by jobs that load_jobs() leaves out; 0 if there is none.
    kcontrol::result<std::int64_t> last_row();

    kcontrol::result<std::vector<stored_cluster>> load_clusters();

    /// The last run; nothing if there was none.
    kcontrol::result<std::optional<run_time>> load_run();

    /// Writes all of it or nothing, durably. Returns the bytes in use.
    kcontrol::result<std::uint64_t> write(const state_batch& batch);

    /// True if another connection has written since the last call; true at the first.
    kcontrol::result<bool> changed_elsewhere();

    kcontrol::result<std::vector<kept_cluster>> kept_clusters();
    /// Errors: already_exists, unless `replace`.
    kcontrol::result<void> keep_cluster(const kept_cluster& cluster, bool replace);
    /// Errors: not_found.
    kcontrol::result<void> drop_cluster(std::string_view name);

    const std::string& path() const noexcept { return db_.path(); }

private:
    class lock;
    state_file(sqlite::database db, std::unique_ptr<lock> held);

public:
    ~state_file();

private:
    kcontrol::result<void> prepare_schema(use how);
    kcontrol::result<void> migrate(std::int64_t from);
    kcontrol::result<void> write_jobs(const std::vector<stored_job>& jobs);
    kcontrol::result<void> forget_jobs(const std::vector<std::int64_t>& rows);
    kcontrol::result<void> write_clusters(const std::vector<stored_cluster>& clusters);
    kcontrol::result<void> write_run(const std::optional<run_time>& run);
    kcontrol::error rolled_back(kcontrol::error why);

    std::unique_ptr<lock> lock_;
    sqlite::database db_;
    std::int64_t data_version_ = 0;
    bool run_begun_ = false;  ///< this object has written its run over the one before
};

}  // namespace training_monitor
