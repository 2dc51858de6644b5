// The file behind --state: what is read from it and written to it. It blocks; memory.hpp keeps it off the event loop.
#pragma once

#include <kcontrol/base/result.hpp>

#include "memory/sqlite.hpp"
#include "memory/state_lock.hpp"
#include "memory/state_rows.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// Thread-safety: shared objects unsafe; it may move from thread to thread.
class state_file {
public:
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

    /// In the order of times.
    kcontrol::result<std::vector<totals_point>> load_totals();

    kcontrol::result<gpu_hours_state> load_gpu_hours();

    kcontrol::result<std::vector<acknowledgement>> load_acknowledgements();
    kcontrol::result<std::vector<notices::kept_alert>> load_alerts();

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
    state_file(sqlite::database db, std::unique_ptr<state_lock> held);
    kcontrol::result<void> write_clusters(const std::vector<stored_cluster>& clusters);
    kcontrol::result<void> write_run(const std::optional<run_time>& run);

    std::unique_ptr<state_lock> lock_;
    sqlite::database db_;
    std::int64_t data_version_ = 0;
    bool run_begun_ = false;  ///< this object has written its run over the one before
};

}  // namespace training_monitor
