#include "data_file.hpp"

#include "testserver/object_store.hpp"

#include <charconv>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kcontrol_apiserver {

namespace json = kcontrol::json;
namespace testing = kcontrol::testing;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;
using testing::group_resource;

namespace {

constexpr std::int64_t application = 0x6b637461;  // "kcta"
constexpr std::int64_t format = 1;

const group_resource definitions("apiextensions.k8s.io", "customresourcedefinitions");

constexpr const char* schema = R"(
BEGIN;
CREATE TABLE objects(grp TEXT NOT NULL, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY(grp, resource, namespace, name)) WITHOUT ROWID;
CREATE TABLE server(id INTEGER PRIMARY KEY CHECK(id = 1), version INTEGER NOT NULL, certificate TEXT NOT NULL,
    key TEXT NOT NULL);
INSERT INTO server VALUES(1, 0, '', '');
PRAGMA application_id = 1801679969;
PRAGMA user_version = 1;
COMMIT;)";

std::string remedy(int code) {
    switch (code & 0xff) {
    case SQLITE_NOTADB: return "it is no data file of kcontrol-apiserver: give --data another name";
    case SQLITE_CORRUPT: return "it is damaged: put a copy of it back, or remove it (and FILE-wal) to begin anew";
    case SQLITE_FULL: return "the disk is full: make room there";
    case SQLITE_BUSY: return "another program uses it: end that one, or give --data another name";
    case SQLITE_READONLY: return "it can't be written: make it and its directory writable, or give --data another name";
    case SQLITE_CANTOPEN: return "it can't be opened: the directory must exist and be writable for this user";
    default: return "it can't be read or written";
    }
}

void bind_text(sqlite3_stmt* statement, int at, std::string_view text) {
    sqlite3_bind_text64(statement, at, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}

std::string text_of(sqlite3_stmt* statement, int column) {
    const void* bytes = sqlite3_column_blob(statement, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

std::int64_t version_of(const json::value& object) {
    const std::string_view text = json::get_string(object, {"metadata", "resourceVersion"});
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool is_established(const json::value& definition) {
    const json::value* all = json::find(definition, {"status", "conditions"});
    if (all == nullptr || !all->is_array()) return false;
    for (const auto& one : all->get_array()) {
        if (json::get_string(one, {"type"}) == "Established") return json::get_string(one, {"status"}) == "True";
    }
    return false;
}

}  // namespace

// A query whose rows are looked at one by one.
class data_file::rows {
public:
    rows(sqlite3* db, const char* sql) { code_ = sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
    ~rows() { sqlite3_finalize(statement_); }
    rows(const rows&) = delete;
    rows& operator=(const rows&) = delete;

    bool next() {
        if (code_ == SQLITE_OK || code_ == SQLITE_ROW) code_ = sqlite3_step(statement_);
        return code_ == SQLITE_ROW;
    }
    bool ended_well() const { return code_ == SQLITE_DONE; }
    int code() const { return code_; }
    sqlite3_stmt* get() const { return statement_; }

private:
    sqlite3_stmt* statement_ = nullptr;
    int code_ = SQLITE_OK;
};

error data_file::failed(int code) const {
    std::string text = "--data " + path_ + ": " + remedy(code) + " [";
    text += db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_);
    return error(errc::file_failed, text + "]");
}

error data_file::is_damaged(const std::string& how) const {
    return error(errc::file_failed, "--data " + path_ + ": " + how + ": " + remedy(SQLITE_CORRUPT));
}

result<void> data_file::execute(const char* sql) {
    const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failed(code);
    return {};
}

result<std::int64_t> data_file::number(const char* sql) {
    rows found(db_, sql);
    if (!found.next()) return failed(found.code());
    return sqlite3_column_int64(found.get(), 0);
}

result<std::unique_ptr<data_file>> data_file::open(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
        return error(errc::file_failed, "--data " + path + ": it is no file; give the name of one, or of a new one");
    }
    std::unique_ptr<data_file> out(new data_file(path));
    // It holds secrets: for its owner only, and so is the log beside it.
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);  // what stands in the way SQLite says
    const int code = sqlite3_open_v2(path.c_str(), &out->db_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    if (code != SQLITE_OK) return out->failed(code);
    if (const auto prepared = out->prepare(); !prepared) return prepared.error();
    return out;
}

data_file::~data_file() {
    for (sqlite3_stmt* statement : {put_, drop_, version_}) sqlite3_finalize(statement);
    sqlite3_close_v2(db_);
}

result<void> data_file::prepare() {
    const auto tables = number("SELECT count(*) FROM sqlite_master");
    if (!tables) return tables.error();
    const auto whose = number("PRAGMA application_id");
    if (!whose) return whose.error();
    if (*tables != 0 && *whose != application) {
        return error(errc::file_failed, "--data " + path_ + ": " + remedy(SQLITE_NOTADB));
    }
    if (const auto done = execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
                                  "PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT;");
        !done) {
        return done;
    }
    if (*tables == 0) {
        if (const auto done = execute(schema); !done) return done;
    }
    const auto made = number("PRAGMA user_version");
    if (!made) return made.error();
    if (*made != format) {
        return error(errc::file_failed, "--data " + path_ + ": its format " + std::to_string(*made) +
                                            " is of another version of this program: use that one, or another file");
    }
    const auto compile = [this](const char* sql, sqlite3_stmt*& into) {
        return sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &into, nullptr);
    };
    for (const int code :
         {compile("INSERT OR REPLACE INTO objects VALUES(?1, ?2, ?3, ?4, ?5)", put_),
          compile("DELETE FROM objects WHERE grp = ?1 AND resource = ?2 AND namespace = ?3 AND name = ?4", drop_),
          compile("UPDATE server SET version = ?1 WHERE version < ?1", version_)}) {
        if (code != SQLITE_OK) return failed(code);
    }
    return {};
}

result<kcontrol::http::certificate_authority> data_file::authority(kcontrol::wall_time now) {
    {
        rows kept(db_, "SELECT certificate, key FROM server WHERE certificate <> ''");
        if (kept.next()) {
            auto loaded = kcontrol::http::certificate_authority::load(
                {text_of(kept.get(), 0), kcontrol::secret_string(text_of(kept.get(), 1))});
            if (!loaded) return is_damaged("its authority can't be read");
            return loaded;
        }
        if (!kept.ended_well()) return failed(kept.code());
    }
    kcontrol::http::certificate_options names(now);
    names.common_name("kcontrol-apiserver").not_after(now + std::chrono::hours(24 * 365 * 10));
    auto made = kcontrol::http::certificate_authority::create(names);
    if (!made) return made.error();
    rows keep(db_, "UPDATE server SET certificate = ?1, key = ?2");
    if (keep.get() == nullptr) return failed(keep.code());
    bind_text(keep.get(), 1, made->cert_pem());
    bind_text(keep.get(), 2, made->key_pem().reveal());
    if (keep.next() || !keep.ended_well()) return failed(keep.code());
    return made;
}

result<void> data_file::record(const group_resource& id, testing::change what, const json::value& object) {
    sqlite3_stmt* statement = what == testing::change::deleted ? drop_ : put_;
    const std::string content = what == testing::change::deleted ? std::string() : json::serialize(object);
    if (const auto begun = execute("BEGIN IMMEDIATE"); !begun) return begun;
    bind_text(statement, 1, id.group);
    bind_text(statement, 2, id.resource);
    bind_text(statement, 3, json::get_string(object, {"metadata", "namespace"}));
    bind_text(statement, 4, json::get_string(object, {"metadata", "name"}));
    if (statement == put_) bind_text(statement, 5, content);
    sqlite3_bind_int64(version_, 1, version_of(object));
    for (sqlite3_stmt* one : {statement, version_}) {
        const int code = sqlite3_step(one);
        sqlite3_reset(one);
        if (code != SQLITE_DONE) return failed(code);
    }
    return execute("COMMIT");
}

// Definitions come first: what they define can then be placed.
result<testing::store_snapshot> data_file::read(const testing::store_snapshot& empty) {
    constexpr std::size_t history = 10'000;
    const auto held = std::make_shared<testing::detail::stored_tables>();
    auto& tables = held->by_resource;
    for (const auto& [id, table] : testing::detail::tables_of(empty)) {
        tables.emplace(id, testing::resource_table(table.type(), 0, history));
    }
    rows found(db_,
               "SELECT grp, resource, namespace, name, content FROM objects "
               "ORDER BY resource <> 'customresourcedefinitions', grp, resource, namespace, name");
    while (found.next()) {
        const group_resource id(text_of(found.get(), 0), text_of(found.get(), 1));
        const kcontrol::namespaced_name key{text_of(found.get(), 2), text_of(found.get(), 3)};
        auto content = json::parse(text_of(found.get(), 4));
        if (!content || !content->is_object()) return is_damaged(id.text() + " " + key.name + " can't be read");
        if (id == definitions && is_established(*content)) {
            auto type = testing::resource_type_of_crd(*content);
            if (!type) return is_damaged("the definition " + key.name + " can't be used");
            const group_resource defined = type->id();
            tables.emplace(defined, testing::resource_table(std::move(*type), 0, history));
        }
        const auto table = tables.find(id);
        if (table == tables.end()) return is_damaged("no definition of its " + id.text() + " is in it");
        testing::store_event event;
        event.version = static_cast<std::uint64_t>(version_of(*content));
        event.key = key;
        event.object = std::make_shared<const testing::stored_object>(std::move(content->get_object()));
        table->second.commit(std::move(event));
    }
    if (!found.ended_well()) return failed(found.code());
    const auto version = number("SELECT version FROM server");
    if (!version) return version.error();
    testing::store_snapshot out;
    out.version = static_cast<std::uint64_t>(*version);
    out.tables = held;
    return out;
}

result<void> data_file::join(testing::api_server& api) {
    const auto version = number("SELECT version FROM server");
    if (!version) return version.error();
    const testing::store_snapshot there = api.snapshot();
    if (*version != 0) {
        const auto kept = read(there);
        if (!kept) return kept.error();
        api.restore(*kept);
        return {};
    }
    for (const auto& [id, table] : testing::detail::tables_of(there)) {
        const testing::resource_type& type = table.type();
        for (const auto& [key, object] : table.objects()) {
            const auto done =
                record(id, testing::change::added, object->value(type, type.api_version(type.versions.front())));
            if (!done) return done;
        }
    }
    return {};
}

}  // namespace kcontrol_apiserver
