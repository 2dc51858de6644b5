#include "memory/state_file.hpp"

#include <kcontrol/base/log.hpp>

#include "table/job_query.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;
using kcontrol::wall_time;

// Others (`cluster add`, a backup) write for milliseconds. A monitor tries again by itself, and must be able to stop.
constexpr auto monitor_patience = std::chrono::seconds(1);
constexpr auto command_patience = std::chrono::seconds(5);

// Version 1. Times are milliseconds since the epoch.
constexpr const char* schema_1 = R"(
CREATE TABLE jobs(
    id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, namespace TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    uid TEXT NOT NULL, api_version TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL,
    start_time INTEGER, completion_time INTEGER, gpus INTEGER NOT NULL, first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, gone INTEGER, told TEXT);
CREATE TABLE spans(
    job INTEGER NOT NULL, n INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL,
    began INTEGER NOT NULL, ended INTEGER, PRIMARY KEY(job, n)) WITHOUT ROWID;
CREATE TABLE clusters(
    name TEXT PRIMARY KEY, origin TEXT NOT NULL, server TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
    last_seen INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE kept_clusters(
    name TEXT PRIMARY KEY, path TEXT NOT NULL, context TEXT NOT NULL, sealed BLOB, added INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE monitor(id INTEGER PRIMARY KEY CHECK(id = 1), began INTEGER NOT NULL, until INTEGER NOT NULL);
)";

std::int64_t to_ms(wall_time t) { return std::chrono::floor<std::chrono::milliseconds>(t.time_since_epoch()).count(); }
std::optional<std::int64_t> to_ms(const std::optional<wall_time>& t) {
    return t ? std::optional(to_ms(*t)) : std::nullopt;
}
wall_time from_ms(std::int64_t ms) { return wall_time(std::chrono::milliseconds(ms)); }
std::optional<wall_time> from_ms(std::optional<std::int64_t> ms) {
    return ms ? std::optional(from_ms(*ms)) : std::nullopt;
}

// Jobs hold views of constants.
std::string_view find_api_version(std::string_view text) {
    static constexpr std::array<std::string_view, 4> known{"kubeflow.org/v1", "kubeflow.org/v2beta1",
                                                           "trainer.kubeflow.org/v1alpha1", "batch/v1"};
    for (const auto one : known) {
        if (one == text) return one;
    }
    return {};
}

}  // namespace

// SQLite's own locks are held for a transaction only, and a second monitor would interleave with the first. The
// kernel lets go of this one when the program ends, however it ends.
class state_file::lock {
public:
    static result<std::unique_ptr<lock>> take(const std::string& state) {
        const std::string path = state + ".lock";
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            return error(errc::file_failed, "state file " + state + ": " + path + " can't be made (" +
                                                std::strerror(errno) +
                                                "): the directory must exist, and this user be able to write there");
        }
        auto out = std::unique_ptr<lock>(new lock(fd));
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
            char pid[32] = "";
            const auto size = ::pread(fd, pid, sizeof pid - 1, 0);
            return error(errc::file_failed, "state file " + state + ": another training_monitor (process " +
                                                kcontrol::escape_control(std::string_view(
                                                    pid, size > 0 ? static_cast<std::size_t>(size) : 0)) +
                                                ") uses it: end that one, or give another --state FILE");
        }
        const std::string pid = std::to_string(::getpid());
        // The number is for the message above only.
        if (::ftruncate(fd, 0) == 0) static_cast<void>(!::pwrite(fd, pid.data(), pid.size(), 0));
        return out;
    }
    ~lock() { ::close(fd_); }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

private:
    explicit lock(int fd) : fd_(fd) {}
    int fd_;
};

state_file::state_file(sqlite::database db, std::unique_ptr<lock> held) : lock_(std::move(held)), db_(std::move(db)) {}

state_file::~state_file() = default;

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
    std::unique_ptr<lock> held;
    if (how == use::monitor) {
        auto taken = lock::take(path);
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
    auto out = std::unique_ptr<state_file>(new state_file(std::move(*db), std::move(held)));
    const auto prepared = out->prepare_schema(how);
    if (!prepared) return prepared.error();
    return out;
}

result<void> state_file::prepare_schema(use how) {
    const std::string name = "state file " + path() + ": ";
    const auto owner = db_.integer("PRAGMA application_id");
    if (!owner) return owner.error();
    const auto version = db_.integer("PRAGMA user_version");
    if (!version) return version.error();
    const auto tables = db_.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tables.error();
    const bool fresh = *owner == 0 && *version == 0 && *tables == 0;
    if (!fresh && *owner != application_id) {
        return error(errc::file_failed, name + "it is the database of another program: give another --state FILE");
    }
    if (*version > schema_version) {
        return error(errc::file_failed, name + "it was written by a newer training_monitor (schema " +
                                            std::to_string(*version) + ", this one knows " +
                                            std::to_string(schema_version) +
                                            "): use that version, or give another --state FILE");
    }
    if (db_.is_read_only()) {
        return error(errc::file_failed,
                     name + "it can't be written: make the file and its directory writable for this user");
    }
    if (fresh) {
        // Before the first table: pages that become free can be given back bit by bit.
        const auto set = db_.execute("PRAGMA auto_vacuum = INCREMENTAL");
        if (!set) return set.error();
    }
    const auto wal = db_.text("PRAGMA journal_mode = WAL");
    if (!wal) return wal.error();
    // FULL: a commit is on the disk when it returns. Jobs could be learned again from their clusters, but not of
    // what people were notified; and the price, an fsync a batch, is paid by the worker, not by the event loop.
    const auto set = db_.execute("PRAGMA synchronous = FULL");
    if (!set) return set.error();
    // In a container there may be no directory for temporary files.
    const auto memory_only = db_.execute("PRAGMA temp_store = MEMORY");
    if (!memory_only) return memory_only.error();
    if (*version < schema_version) {
        const auto migrated = migrate(*version);
        if (!migrated) return migrated.error();
    }
    if (how == use::monitor && !fresh) {
        const auto checked = db_.text("PRAGMA quick_check(1)");
        if (!checked) return checked.error();
        if (*checked != "ok") {
            return error(errc::file_failed, name + "it is damaged: put a copy of it back, or move it away (and " +
                                                path() + "-wal, " + path() + "-shm) to begin anew [" + *checked + "]");
        }
    }
    return {};
}

// Each step from version to version, all in one transaction: a crash leaves the old file.
result<void> state_file::migrate(std::int64_t from) {
    auto done = db_.execute("BEGIN IMMEDIATE");
    if (!done) return done.error();
    const auto now = db_.integer("PRAGMA user_version");  // another program may have been faster
    if (now && *now > from) from = *now;
    if (from < 1) done = db_.execute(schema_1);
    const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(schema_version) + "; COMMIT";
    if (done) done = db_.execute(marks.c_str());
    if (!done) return rolled_back(done.error());
    return {};
}

error state_file::rolled_back(error why) {
    if (db_.in_transaction()) {
        const auto undone = db_.execute("ROLLBACK");
        static_cast<void>(undone);  // SQLite rolls back by itself after the errors that matter
    }
    return why;
}

result<std::vector<job_record>> state_file::load_jobs() {
    auto jobs = db_.prepare(
        "SELECT id, cluster, namespace, kind, name, uid, api_version, state, reason, message, start_time, "
        "completion_time, gpus, first_seen, last_seen, gone, told FROM jobs ORDER BY id");
    if (!jobs) return jobs.error();
    auto spans = db_.prepare("SELECT job, n, state, reason, message, began, ended FROM spans ORDER BY job, n");
    if (!spans) return spans.error();
    const auto count = db_.integer("SELECT count(*) FROM jobs");
    if (!count) return count.error();
    auto more_spans = spans->step();
    std::vector<job_record> out;
    out.reserve(static_cast<std::size_t>(*count));
    for (;;) {
        const auto more = jobs->step();
        if (!more) return more.error();
        if (!*more) break;
        job_record record;
        record.row = jobs->integer(0);
        job_view view;
        view.cluster = jobs->text(1);
        view.namespace_ = jobs->text(2);
        view.kind = find_kind(jobs->text(3));
        view.name = jobs->text(4);
        view.uid = jobs->text(5);
        view.api_version = find_api_version(jobs->text(6));
        view.state = parse_job_state(jobs->text(7)).value_or(job_state::unknown);
        view.reason = jobs->text(8);
        view.message = jobs->text(9);
        view.start_time = jobs->maybe_integer(10);
        view.completion_time = jobs->maybe_integer(11);
        view.gpus = jobs->integer(12);
        record.first_seen = from_ms(jobs->integer(13));
        record.last_seen = from_ms(jobs->integer(14));
        record.gone = from_ms(jobs->maybe_integer(15));
        record.notified = parse_job_state(jobs->text(16));
        while (more_spans && *more_spans && spans->integer(0) <= record.row) {
            if (spans->integer(0) == record.row) {
                const auto number = static_cast<std::uint64_t>(spans->integer(1));
                if (record.spans.empty()) record.first_span = number;
                record.spans.push_back(span{parse_job_state(spans->text(2)).value_or(job_state::unknown),
                                            std::string(spans->text(3)), std::string(spans->text(4)),
                                            from_ms(spans->integer(5)), from_ms(spans->maybe_integer(6))});
                record.saved_spans = number;  // the last one may yet change
            }
            more_spans = spans->step();
        }
        if (!more_spans) return more_spans.error();
        if (view.kind.empty() || view.api_version.empty() || record.spans.empty()) continue;
        record.view = std::make_shared<const job_view>(std::move(view));
        out.push_back(std::move(record));
    }
    return out;
}

result<std::int64_t> state_file::last_row() {
    return db_.integer(
        "SELECT max(coalesce((SELECT max(id) FROM jobs), 0), coalesce((SELECT max(job) FROM spans), 0))");
}

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

result<void> state_file::write_jobs(const std::vector<stored_job>& jobs) {
    auto job =
        db_.prepare("INSERT OR REPLACE INTO jobs VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)");
    if (!job) return job.error();
    auto trim = db_.prepare("DELETE FROM spans WHERE job = ?1 AND n < ?2");
    if (!trim) return trim.error();
    auto put = db_.prepare("INSERT OR REPLACE INTO spans VALUES(?1,?2,?3,?4,?5,?6,?7)");
    if (!put) return put.error();
    for (const auto& j : jobs) {
        const auto& v = *j.view;
        job->bind(1, j.row).bind(2, v.cluster).bind(3, v.namespace_).bind(4, v.kind).bind(5, v.name).bind(6, v.uid);
        job->bind(7, v.api_version).bind(8, to_string(j.state)).bind(9, v.reason).bind(10, v.message);
        job->bind(11, v.start_time).bind(12, v.completion_time).bind(13, v.gpus).bind(14, to_ms(j.first_seen));
        job->bind(15, to_ms(j.last_seen)).bind(16, to_ms(j.gone));
        if (j.notified) {
            job->bind(17, to_string(*j.notified));
        } else {
            job->bind(17, std::optional<std::int64_t>());
        }
        auto done = job->run();
        if (done && j.first_span > 0) {
            done = trim->bind(1, j.row).bind(2, static_cast<std::int64_t>(j.first_span)).run();
        }
        for (const auto& [number, s] : j.spans) {
            if (!done) break;
            put->bind(1, j.row).bind(2, static_cast<std::int64_t>(number)).bind(3, to_string(s.state));
            put->bind(4, s.reason).bind(5, s.message).bind(6, to_ms(s.from)).bind(7, to_ms(s.to));
            done = put->run();
        }
        if (!done) return done.error();
    }
    return {};
}

result<void> state_file::forget_jobs(const std::vector<std::int64_t>& rows) {
    if (rows.empty()) return {};
    auto spans = db_.prepare("DELETE FROM spans WHERE job = ?1");
    if (!spans) return spans.error();
    auto job = db_.prepare("DELETE FROM jobs WHERE id = ?1");
    if (!job) return job.error();
    for (const auto row : rows) {
        auto done = spans->bind(1, row).run();
        if (done) done = job->bind(1, row).run();
        if (!done) return done.error();
    }
    return {};
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
        // What the run before had in view was seen until its end. Its jobs tell when they last changed.
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
    done = write_jobs(batch.jobs);
    if (done) done = forget_jobs(batch.forgotten);
    if (done) done = write_clusters(batch.clusters);
    if (done) done = write_run(batch.run);
    if (done) done = db_.execute("COMMIT");
    if (!done) return rolled_back(done.error());
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
    if (!known) return rolled_back(known.error());
    const auto found = known->bind(1, cluster.name).step();
    if (!found) return rolled_back(found.error());
    if (*found && !replace) {
        return rolled_back(error(kcontrol::api_errc::already_exists,
                                 "cluster \"" + kcontrol::escape_control(cluster.name) + "\" is in state file " +
                                     path() + " already: give --replace, or another name"));
    }
    auto put = db_.prepare("INSERT OR REPLACE INTO kept_clusters VALUES(?1,?2,?3,?4,?5)");
    if (!put) return rolled_back(put.error());
    put->bind(1, cluster.name).bind(2, cluster.path).bind(3, cluster.context);
    put->bind_blob(4, cluster.sealed).bind(5, to_ms(cluster.added));
    done = put->run();
    if (done) done = db_.execute("COMMIT");
    if (!done) return rolled_back(done.error());
    return {};
}

result<void> state_file::drop_cluster(std::string_view name) {
    auto drop = db_.prepare("DELETE FROM kept_clusters WHERE name = ?1 RETURNING 1");
    if (!drop) return drop.error();
    const auto found = drop->bind(1, name).step();
    if (!found) return found.error();
    if (!*found) {
        return error(kcontrol::api_errc::not_found, "no cluster \"" + kcontrol::escape_control(name) +
                                                        "\" in state file " + path() + "; `cluster list` shows them");
    }
    return drop->run();
}

}  // namespace training_monitor
