// Keeps the history in the state file: collects what changed and writes it in batches, off the event loop.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "defaults.hpp"
#include "gpus/gpu_hours.hpp"
#include "history/history.hpp"
#include "memory/state_file.hpp"
#include "table/totals.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

class memory_options {
public:
    memory_options() = default;

    /// A change is written at the latest after so long, with all that came meanwhile.
    memory_options& delay(kcontrol::duration d) { return delay_ = d, *this; }
    /// A batch is begun at once when so many jobs have changed.
    memory_options& max_batch(std::size_t n) { return max_batch_ = n, *this; }
    /// Jobs that are not in view are forgotten so long after they were last seen.
    memory_options& retain_for(kcontrol::duration d) { return retain_for_ = d, *this; }
    /// Above so many bytes the oldest of the jobs that are gone are forgotten.
    memory_options& retain_size(std::uint64_t bytes) { return retain_size_ = bytes, *this; }

    kcontrol::duration delay() const noexcept { return delay_; }
    std::size_t max_batch() const noexcept { return max_batch_; }
    kcontrol::duration retain_for() const noexcept { return retain_for_; }
    std::uint64_t retain_size() const noexcept { return retain_size_; }

private:
    kcontrol::duration delay_ = std::chrono::milliseconds(200);
    std::size_t max_batch_ = 2000;
    kcontrol::duration retain_for_ = defaults::retain_for;
    std::uint64_t retain_size_ = defaults::retain_size;
};

/// For readiness and metrics.
struct memory_status {
    std::string path;
    std::string failure;  ///< why the last write failed; empty: it did not
    std::uint64_t writes = 0, failed_writes = 0;
    std::uint64_t waiting = 0;  ///< changes that are not in the file yet
    std::uint64_t bytes = 0;    ///< used in the file
    std::uint64_t jobs = 0;     ///< remembered
    std::uint64_t forgotten = 0;
};

/// Writes run on an executor of their own, a thread of the program's: an fsync takes milliseconds on a good disk and
/// seconds on a bad one, and the event stream promises less. It has one thread, so that at most one call of SQLite runs
/// at a time.
///
/// A batch that fails is kept and tried again (after 1 s, later 30 s); meanwhile changes gather in memory, one entry a
/// job, so that nothing is lost however long the disk is full.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment, the worker and the history outlive it. Call stop() before it goes.
class memory {
public:
    memory(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
           std::unique_ptr<state_file> file, history& past, kcontrol::logger log, memory_options options = {});
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    /// GPU hours are kept, too: read by start(), and written with each minute's totals and at the end. Before start();
    /// they outlive it.
    void keep(gpu_hours& hours) { hours_ = &hours; }

    /// Reads the file into the history; blocks. Then begins to keep it.
    /// Errors: the file can't be read.
    kcontrol::result<void> start();

    /// Collects what is last known of clusters.
    void take(const std::vector<change>& changes);

    /// One more point of the fleet's totals.
    void take(const totals_point& point);

    /// The totals that the file held when it was read, once: they are the caller's then.
    std::vector<totals_point> take_totals() { return std::exchange(totals_at_start_, {}); }

    /// An acknowledgement that was put or removed.
    void take(const acknowledgement& one, bool removed);
    /// An alert that began, changed or ended.
    void take(const notices::kept_alert& one);

    /// What the file held when it was read, once.
    std::vector<acknowledgement> take_acknowledgements() { return std::exchange(care_at_start_, {}); }
    std::vector<notices::kept_alert> take_alerts() { return std::exchange(alerts_at_start_, {}); }

    /// Waits until all that changed before the call is in the file, on the disk.
    /// Errors: the write failed (it is tried again all the same), or `stop`.
    kcontrol::awaitable<kcontrol::result<void>> flush(std::stop_token stop);

    /// True if the file kept clusters when it was read.
    bool has_clusters() const noexcept { return has_clusters_; }

    /// For who reads the clusters in it, on the worker.
    const std::shared_ptr<state_file>& file() const noexcept { return file_; }
    const kcontrol::executor& worker() const noexcept { return worker_; }

    /// Writes what is not yet written, tries once, and ends. Idempotent.
    kcontrol::awaitable<void> stop();

    memory_status status() const;

private:
    struct written {
        kcontrol::result<std::uint64_t> bytes;
    };
    kcontrol::awaitable<void> run(std::stop_token stop);
    kcontrol::awaitable<void> write_once();
    void touch(job_record& record);
    void hurry();
    void make_batch();
    void retain_by_age();
    void retain_by_size();
    void forget(std::vector<std::unique_ptr<job_record>> records);
    bool has_work() const;
    std::size_t waiting() const;

    kcontrol::environment& env_;
    kcontrol::executor ex_, worker_;
    std::shared_ptr<state_file> file_;
    history& past_;
    kcontrol::logger log_;
    memory_options options_;
    kcontrol::task_group tasks_;
    kcontrol::scope lifetime_;
    kcontrol::async_event changed_, written_;

    std::vector<job_record*> dirty_;
    std::vector<std::int64_t> forgotten_;
    std::map<std::string, stored_cluster> clusters_;
    totals points_;                                                              ///< that are not in the file yet
    std::map<acknowledgements::key, stored_acknowledgement> care_;               ///< likewise
    std::map<std::pair<std::string, std::string>, notices::kept_alert> alerts_;  ///< likewise, by receiver and thread
    std::vector<acknowledgement> care_at_start_;
    std::vector<notices::kept_alert> alerts_at_start_;
    std::vector<totals_point> totals_at_start_;
    gpu_hours* hours_ = nullptr;
    bool hours_due_ = false;
    std::shared_ptr<const state_batch> batch_;  ///< under way, or to be tried again
    std::uint64_t touched_ = 0, batch_upto_ = 0, saved_ = 0, attempts_ = 0;
    kcontrol::time_point due_{}, retain_at_{}, crowded_until_{};
    kcontrol::duration backoff_{};
    std::int64_t next_row_ = 1;
    kcontrol::wall_time began_{};
    bool run_due_ = false;  ///< until when we looked is to be written
    bool crowded_ = false;  ///< it is logged that nothing more can be forgotten
    bool stopped_ = false;
    bool has_clusters_ = false;
    memory_status status_;
};

}  // namespace training_monitor
