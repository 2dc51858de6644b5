#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/records/impl/record_database.hpp>
#include <kcontrol/records/sqlite_records.hpp>

#include <fcntl.h>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// "kcrc", which the file begins with, so that it is not taken for another program's.
inline constexpr std::int64_t records_application = 0x6b637263;

// Version 1. No constraint refuses a bad row: whoever wrote it is told of it by the program that reads it. A revision
// begins with the time, so that a row that is deleted and made anew has another one.
inline constexpr const char* records_schema = R"(
CREATE TABLE clusters(
    name TEXT PRIMARY KEY NOT NULL, kubeconfig BLOB NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '',
    context TEXT NOT NULL DEFAULT '', labels TEXT NOT NULL DEFAULT '{}',
    revision INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))) WITHOUT ROWID;
CREATE TRIGGER clusters_revision AFTER UPDATE ON clusters WHEN NEW.revision = OLD.revision BEGIN
    UPDATE clusters SET revision = OLD.revision + 1 WHERE name = NEW.name;
END;
)";

inline result<void> make_records_schema(record_database& db) {
    auto done = db.execute("BEGIN IMMEDIATE");
    if (!done) return done.error();
    const auto now = db.integer("PRAGMA user_version");  // another program may have been faster
    if (!now) return db.rolled_back(now.error());
    if (*now == 0) done = db.execute(records_schema);
    const std::string marks = "PRAGMA application_id = " + std::to_string(records_application) +
                              "; PRAGMA user_version = " + std::to_string(sqlite_records::schema_version) + "; COMMIT";
    if (done) done = db.execute(marks.c_str());
    if (!done) return db.rolled_back(done.error());
    return {};
}

inline result<void> prepare_records(record_database& db) {
    const auto owner = db.integer("PRAGMA application_id");
    if (!owner) return owner.error();
    const auto version = db.integer("PRAGMA user_version");
    if (!version) return version.error();
    const auto tables = db.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tables.error();
    const bool fresh = *owner == 0 && *version == 0 && *tables == 0;
    if (!fresh && *owner != records_application) {
        return db.failed("it is the database of another program: give another file");
    }
    if (*version > sqlite_records::schema_version) {
        return db.failed("it was written by a newer kcontrol (schema " + std::to_string(*version) +
                         ", this one knows " + std::to_string(sqlite_records::schema_version) +
                         "): use that version, or another file");
    }
    if (db.is_read_only()) {
        return db.failed("it can't be written: make the file and its directory writable for this user");
    }
    const auto wal = db.text("PRAGMA journal_mode = WAL");
    if (!wal) return wal.error();
    // FULL: a commit is on the disk when it returns. What is deleted is overwritten, for it was secret. In a container
    // there may be no directory for temporary files.
    const auto set = db.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY");
    if (!set) return set.error();
    if (fresh) return make_records_schema(db);
    const auto checked = db.text("PRAGMA quick_check(1)");
    if (!checked) return checked.error();
    if (*checked == "ok") return {};
    return db.failed(std::string(record_remedy(SQLITE_CORRUPT)) + " [" + *checked + "]");
}

inline result<cluster_labels> read_labels(std::string_view text) {
    const error bad(errc::invalid_config, "its labels are no JSON object of strings, as {\"team\": \"a\"}");
    const auto parsed = json::parse(text);
    if (!parsed || !parsed->is_object()) return bad;
    cluster_labels out;
    for (const auto& [key, value] : parsed->get_object()) {
        if (!value.is_string()) return bad;
        out.emplace(std::string_view(key.data(), key.size()),
                    std::string_view(value.get_string().data(), value.get_string().size()));
    }
    return out;
}

inline std::string write_labels(const cluster_labels& labels) {
    json::object out;
    for (const auto& [key, value] : labels) out[key] = value;
    return json::serialize(out);
}

inline cluster_record read_row(const record_statement& row) {
    cluster_record out{std::string(row.bytes(0))};
    out.kubeconfig = secret_string(std::string(row.bytes(1)));
    out.path = row.bytes(2);
    out.context = row.bytes(3);
    out.revision = row.bytes(5);
    auto labels = read_labels(row.bytes(4));
    if (labels) {
        out.labels = std::move(*labels);
    } else {
        out.fault = labels.error();
    }
    if (!row.is_text(0)) out.fault = error(errc::invalid_config, "its name is no text");
    return out;
}

}  // namespace detail

struct sqlite_records::impl {
    explicit impl(std::unique_ptr<detail::record_database> d) : db(std::move(d)) {}

    result<std::vector<cluster_record>> rows() {
        // Of a kubeconfig that is too large no more than shows that.
        auto found = db->prepare(
            "SELECT name, substr(CAST(kubeconfig AS BLOB), 1, 1048577), path, context, labels, "
            "revision FROM clusters ORDER BY name");
        if (!found) return found.error();
        std::vector<cluster_record> out;
        for (;;) {
            const auto more = found->step();
            if (!more) return more.error();
            if (!*more) return out;
            out.push_back(detail::read_row(*found));
        }
    }

    std::mutex mutex;
    std::unique_ptr<detail::record_database> db;
    std::int64_t version = 0;  // of the data at the last look; only other connections change it
    bool changed = true;       // by this one
};

inline sqlite_records::sqlite_records(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
KCONTROL_DECL sqlite_records::~sqlite_records() = default;

KCONTROL_DECL result<std::shared_ptr<sqlite_records>> sqlite_records::open(std::string path,
                                                                           sqlite_records_options options) {
    // SQLite gives the files beside it the same mode; its message says better what stands in the way.
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
    auto db = detail::record_database::open(std::move(path), options.busy_timeout());
    if (!db) return db.error();
    const auto prepared = detail::prepare_records(**db);
    if (!prepared) return prepared.error();
    return std::shared_ptr<sqlite_records>(new sqlite_records(std::make_unique<impl>(std::move(*db))));
}

KCONTROL_DECL result<std::optional<std::vector<cluster_record>>> sqlite_records::poll(bool anyway) {
    const std::lock_guard lock(impl_->mutex);
    const auto version = impl_->db->integer("PRAGMA data_version");
    if (!version) return version.error();
    if (!anyway && !impl_->changed && *version == impl_->version) return std::optional<std::vector<cluster_record>>();
    auto all = impl_->rows();
    if (!all) return all.error();
    impl_->version = *version;
    impl_->changed = false;
    return std::optional(std::move(*all));
}

KCONTROL_DECL result<void> sqlite_records::put(const cluster_record& record) {
    const std::string about = "the record of cluster \"" + escape_control(record.name) + "\"";
    if (record.name.empty()) return error(errc::invalid_argument, "a record of a cluster needs a name");
    if (record.kubeconfig.empty() && record.path.empty()) {
        return error(errc::invalid_argument, about + " needs a kubeconfig, or the path of one");
    }
    const std::lock_guard lock(impl_->mutex);
    auto put = impl_->db->prepare(
        "INSERT INTO clusters(name, kubeconfig, path, context, labels) VALUES(?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT(name) DO UPDATE SET kubeconfig = ?2, path = ?3, context = ?4, labels = ?5");
    if (!put) return put.error();
    const std::string labels = detail::write_labels(record.labels);
    put->bind(1, record.name).bind_blob(2, record.kubeconfig.reveal()).bind(3, record.path);
    const auto done = put->bind(4, record.context).bind(5, labels).step();
    if (!done) return done.error();
    impl_->changed = true;
    return {};
}

KCONTROL_DECL result<bool> sqlite_records::remove(std::string_view name) {
    const std::lock_guard lock(impl_->mutex);
    auto drop = impl_->db->prepare("DELETE FROM clusters WHERE name = ?1 RETURNING 1");
    if (!drop) return drop.error();
    const auto found = drop->bind(1, name).step();
    if (!found) return found.error();
    if (!*found) return false;
    const auto rest = drop->step();
    if (!rest) return rest.error();
    impl_->changed = true;
    return true;
}

}  // namespace kcontrol
