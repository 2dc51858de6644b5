#include "memory/state_file.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include "memory/care_rows.hpp"
#include "memory/gpu_hours_rows.hpp"
#include "memory/job_rows.hpp"
#include "memory/state_schema.hpp"
#include "memory/state_times.hpp"
#include "memory/totals_rows.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

// Others (`cluster add`, a backup) write for milliseconds. A monitor tries again by itself, and must be able to stop.
constexpr auto monitor_patience = std::chrono::seconds(1);
constexpr auto command_patience = std::chrono::seconds(5);

}  // namespace

state_file::state_file(sqlite::database db, std::unique_ptr<state_lock> held)
    : lock_(std::move(held)), db_(std::move(db)) {}

result<std::unique_ptr<state_file>> state_file::open(const std::string& path, use how) {
    struct stat found {};
    const bool there = ::stat(path.c_str(), &found) == 0;
    if (there && S_ISDIR(found.st_mode)) {
        return error(errc::file_failed, "state file " + path + ": it is a directory: give the name of a file");
    }
    if (!there && errno == ENOENT && how == use::existing) {
        return error(errc::file_failed, "state file " + path +
                                            ": there is no such file: check its name; `training_monitor cluster add` "
                                            "and `training_monitor --state FILE` make one");
    }
    std::unique_ptr<state_lock> held;
    if (how == use::monitor) {
        auto taken = state_lock::take(path);
        if (!taken) return taken.error();
        held = std::move(*taken);
    }
    // It holds what clusters run and, sealed, how to reach them: for its owner only. SQLite gives the files beside it
    // the same mode.
    if (how != use::existing) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) ::close(fd);  // SQLite's message says better what stands in the way
    }
    auto db = sqlite::database::open(path, sqlite::open_mode::read_write,
                                     how == use::monitor ? monitor_patience : command_patience);
    if (!db) return db.error();
    const auto check = how == use::monitor ? integrity_check::quick : integrity_check::none;
    const auto prepared = prepare_state_schema(*db, check);
    if (!prepared) return prepared.error();
    return std::unique_ptr<state_file>(new state_file(std::move(*db), std::move(held)));
}

result<std::vector<job_record>> state_file::load_jobs() { return training_monitor::load_jobs(db_); }

result<std::int64_t> state_file::last_row() { return last_job_row(db_); }

result<std::vector<totals_point>> state_file::load_totals() { return training_monitor::load_totals(db_); }

result<gpu_hours_state> state_file::load_gpu_hours() { return training_monitor::load_gpu_hours(db_); }

result<std::vector<acknowledgement>> state_file::load_acknowledgements() {
    return training_monitor::load_acknowledgements(db_);
}

result<std::vector<notices::kept_alert>> state_file::load_alerts() { return training_monitor::load_alerts(db_); }

result<std::vector<stored_cluster>> state_file::load_clusters() {
    auto rows = db_.prepare("SELECT name, origin, server, state, reason, last_seen FROM clusters");
    if (!rows) return rows.error();
    std::vector<stored_cluster> out;
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return out;
        stored_cluster one;
        one.name = rows->text(0);
        one.origin = rows->text(1);
        one.server = rows->text(2);
        one.state = rows->text(3);
        one.reason = rows->text(4);
        one.last_seen = from_ms(rows->integer(5));
        out.push_back(std::move(one));
    }
}

result<std::optional<run_time>> state_file::load_run() {
    auto row = db_.prepare("SELECT began, until FROM monitor");
    if (!row) return row.error();
    const auto found = row->step();
    if (!found) return found.error();
    if (!*found) return std::optional<run_time>();
    return std::optional(run_time{from_ms(row->integer(0)), from_ms(row->integer(1))});
}

result<void> state_file::write_clusters(const std::vector<stored_cluster>& clusters) {
    if (clusters.empty()) return {};
    auto put = db_.prepare("INSERT OR REPLACE INTO clusters VALUES(?1,?2,?3,?4,?5,?6)");
    if (!put) return put.error();
    for (const auto& c : clusters) {
        put->bind(1, c.name).bind(2, c.origin).bind(3, c.server).bind(4, c.state).bind(5, c.reason);
        const auto done = put->bind(6, to_ms(c.last_seen)).run();
        if (!done) return done.error();
    }
    return {};
}

result<void> state_file::write_run(const std::optional<run_time>& run) {
    if (!run) return {};
    if (!run_begun_) {
        // What the run before had in view was seen until its end. Its jobs say when they last changed.
        const auto last = load_run();
        if (!last) return last.error();
        auto seen =
            db_.prepare("UPDATE jobs SET last_seen = ?2 WHERE gone IS NULL AND last_seen > ?1 AND last_seen < ?2");
        if (!seen) return seen.error();
        const auto done =
            *last ? seen->bind(1, to_ms((*last)->began)).bind(2, to_ms((*last)->until)).run() : result<void>();
        if (!done) return done.error();
    }
    auto put = db_.prepare("INSERT OR REPLACE INTO monitor VALUES(1,?1,?2)");
    if (!put) return put.error();
    return put->bind(1, to_ms(run->began)).bind(2, to_ms(run->until)).run();
}

result<std::uint64_t> state_file::write(const state_batch& batch) {
    auto done = db_.execute("BEGIN IMMEDIATE");
    if (!done) return done.error();
    done = write_jobs(db_, batch.jobs);
    if (done) done = forget_jobs(db_, batch.forgotten);
    if (done) done = write_clusters(batch.clusters);
    if (done) done = write_run(batch.run);
    if (done) done = write_totals(db_, batch.totals, batch.totals_from);
    if (done && batch.gpu_hours) done = write_gpu_hours(db_, *batch.gpu_hours);
    if (done) done = write_acknowledgements(db_, batch.acknowledgements);
    if (done) done = write_alerts(db_, batch.alerts);
    if (done) done = db_.execute("COMMIT");
    if (!done) return db_.rolled_back(done.error());
    run_begun_ = run_begun_ || batch.run;
    if (!batch.forgotten.empty()) {
        const auto given_back = db_.execute("PRAGMA incremental_vacuum");
        if (!given_back) return given_back.error();
    }
    const auto pages = db_.integer("PRAGMA page_count");
    const auto unused = db_.integer("PRAGMA freelist_count");
    const auto size = db_.integer("PRAGMA page_size");
    if (!pages) return pages.error();
    if (!unused) return unused.error();
    if (!size) return size.error();
    return static_cast<std::uint64_t>((*pages - *unused) * *size);
}

result<bool> state_file::changed_elsewhere() {
    const auto version = db_.integer("PRAGMA data_version");
    if (!version) return version.error();
    return std::exchange(data_version_, *version) != *version;
}

result<std::vector<kept_cluster>> state_file::kept_clusters() {
    auto rows = db_.prepare("SELECT name, path, context, sealed, added FROM kept_clusters ORDER BY name");
    if (!rows) return rows.error();
    std::vector<kept_cluster> out;
    for (;;) {
        const auto more = rows->step();
        if (!more) return more.error();
        if (!*more) return out;
        kept_cluster one;
        one.name = rows->text(0);
        one.path = rows->text(1);
        one.context = rows->text(2);
        one.sealed = rows->text(3);
        one.added = from_ms(rows->integer(4));
        out.push_back(std::move(one));
    }
}

result<void> state_file::keep_cluster(const kept_cluster& cluster, bool replace) {
    auto done = db_.execute("BEGIN IMMEDIATE");
    if (!done) return done.error();
    auto known = db_.prepare("SELECT 1 FROM kept_clusters WHERE name = ?1");
    if (!known) return db_.rolled_back(known.error());
    const auto found = known->bind(1, cluster.name).step();
    if (!found) return db_.rolled_back(found.error());
    if (*found && !replace) {
        return db_.rolled_back(error(kcontrol::api_errc::already_exists,
                                     "cluster " + kcontrol::in_quotes(cluster.name) + " is in state file " + path() +
                                         " already: give --replace, or another name"));
    }
    auto put = db_.prepare("INSERT OR REPLACE INTO kept_clusters VALUES(?1,?2,?3,?4,?5)");
    if (!put) return db_.rolled_back(put.error());
    put->bind(1, cluster.name).bind(2, cluster.path).bind(3, cluster.context);
    put->bind_blob(4, cluster.sealed).bind(5, to_ms(cluster.added));
    done = put->run();
    if (done) done = db_.execute("COMMIT");
    if (!done) return db_.rolled_back(done.error());
    return {};
}

result<void> state_file::drop_cluster(std::string_view name) {
    auto drop = db_.prepare("DELETE FROM kept_clusters WHERE name = ?1 RETURNING 1");
    if (!drop) return drop.error();
    const auto found = drop->bind(1, name).step();
    if (!found) return found.error();
    if (!*found) {
        return error(kcontrol::api_errc::not_found, "no cluster " + kcontrol::in_quotes(name) + " in state file " +
                                                        path() + "; `cluster list` shows them");
    }
    return drop->run();
}

}  // namespace training_monitor
