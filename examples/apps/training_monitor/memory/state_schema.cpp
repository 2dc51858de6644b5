#include "memory/state_schema.hpp"

#include <string>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

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

// Version 2. The fleet's totals: a point a minute. Its states are text, as sqlite3 shows them: "Running=3 Failed=1".
constexpr const char* schema_2 = R"(
CREATE TABLE totals(
    time INTEGER PRIMARY KEY, states TEXT NOT NULL, gpus_requested INTEGER NOT NULL, gpus_running INTEGER NOT NULL);
)";

// Version 3. GPU hours: GPUs times milliseconds by day (its midnight UTC), and up to when each kind of a cluster is
// counted.
constexpr const char* schema_3 = R"(
CREATE TABLE gpu_hours(
    day INTEGER NOT NULL, cluster TEXT NOT NULL, namespace TEXT NOT NULL, team TEXT NOT NULL, gpu_ms INTEGER NOT NULL,
    PRIMARY KEY(day, cluster, namespace, team)) WITHOUT ROWID;
CREATE TABLE gpu_watches(
    cluster TEXT NOT NULL, kind TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
    PRIMARY KEY(cluster, kind)) WITHOUT ROWID;
)";

// Version 4. Who takes care of which job, and what receivers were told of and is not over. `first` and `jobs` are lists
// of [cluster, namespace, kind, name, uid] as JSON; `lasted` is in seconds.
constexpr const char* schema_4 = R"(
CREATE TABLE acknowledgements(
    cluster TEXT NOT NULL, namespace TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL,
    concern TEXT NOT NULL, who TEXT NOT NULL, note TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY(cluster, namespace, kind, name, uid)) WITHOUT ROWID;
CREATE TABLE open_alerts(
    receiver TEXT NOT NULL, thread TEXT NOT NULL, state TEXT NOT NULL, condition TEXT NOT NULL,
    lasted INTEGER NOT NULL, severity TEXT NOT NULL, runbook TEXT NOT NULL, link TEXT NOT NULL,
    reference TEXT NOT NULL, total INTEGER NOT NULL, first TEXT NOT NULL, gpus INTEGER NOT NULL, node TEXT NOT NULL,
    jobs TEXT NOT NULL, PRIMARY KEY(receiver, thread)) WITHOUT ROWID;
)";

std::string name_of(const sqlite::database& db) { return "state file " + db.path() + ": "; }

// Each step from version to version, all in one transaction: a crash leaves the old file.
result<void> migrate(sqlite::database& db, std::int64_t from) {
    auto done = db.execute("BEGIN IMMEDIATE");
    if (!done) return done.error();
    const auto now = db.integer("PRAGMA user_version");  // another program may have been faster
    if (now && *now > from) from = *now;
    if (from < 1) done = db.execute(schema_1);
    if (done && from < 2) done = db.execute(schema_2);
    if (done && from < 3) done = db.execute(schema_3);
    if (done && from < 4) done = db.execute(schema_4);
    const std::string marks = "PRAGMA application_id = " + std::to_string(state_application_id) +
                              "; PRAGMA user_version = " + std::to_string(state_schema_version) + "; COMMIT";
    if (done) done = db.execute(marks.c_str());
    if (!done) return db.rolled_back(done.error());
    return {};
}

// What the file says of itself before anything is done to it.
struct file_marks {
    std::int64_t version = 0;
    bool fresh = false;  // there is nothing in it yet
};

result<file_marks> read_marks(sqlite::database& db) {
    const auto owner = db.integer("PRAGMA application_id");
    if (!owner) return owner.error();
    const auto version = db.integer("PRAGMA user_version");
    if (!version) return version.error();
    const auto tables = db.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tables.error();
    file_marks out;
    out.version = *version;
    out.fresh = *owner == 0 && *version == 0 && *tables == 0;
    if (!out.fresh && *owner != state_application_id) {
        return error(errc::file_failed,
                     name_of(db) + "it is the database of another program: give another --state FILE");
    }
    if (out.version > state_schema_version) {
        return error(errc::file_failed, name_of(db) + "it was written by a newer training_monitor (schema " +
                                            std::to_string(out.version) + ", this one knows " +
                                            std::to_string(state_schema_version) +
                                            "): use that version, or give another --state FILE");
    }
    return out;
}

result<void> set_up_connection(sqlite::database& db) {
    const auto wal = db.text("PRAGMA journal_mode = WAL");
    if (!wal) return wal.error();
    // FULL: a commit is on the disk when it returns. Jobs could be learned again from their clusters, but not of what
    // people were notified; and the price, an fsync a batch, is paid by the worker, not by the event loop.
    const auto set = db.execute("PRAGMA synchronous = FULL");
    if (!set) return set.error();
    // In a container there may be no directory for temporary files.
    return db.execute("PRAGMA temp_store = MEMORY");
}

result<void> check_integrity(sqlite::database& db) {
    const auto checked = db.text("PRAGMA quick_check(1)");
    if (!checked) return checked.error();
    if (*checked == "ok") return {};
    return error(errc::file_failed, name_of(db) + "it is damaged: put a copy of it back, or move it away (and " +
                                        db.path() + "-wal, " + db.path() + "-shm) to begin anew [" + *checked + "]");
}

}  // namespace

result<void> prepare_state_schema(sqlite::database& db, integrity_check check) {
    const auto marks = read_marks(db);
    if (!marks) return marks.error();
    if (db.is_read_only()) {
        return error(errc::file_failed,
                     name_of(db) + "it can't be written: make the file and its directory writable for this user");
    }
    if (marks->fresh) {
        // SQLite takes this only while there is no table: pages that become free can be given back bit by bit.
        const auto set = db.execute("PRAGMA auto_vacuum = INCREMENTAL");
        if (!set) return set.error();
    }
    const auto set_up = set_up_connection(db);
    if (!set_up) return set_up.error();
    if (marks->version < state_schema_version) {
        const auto migrated = migrate(db, marks->version);
        if (!migrated) return migrated.error();
    }
    if (check == integrity_check::quick && !marks->fresh) return check_integrity(db);
    return {};
}

}  // namespace training_monitor
