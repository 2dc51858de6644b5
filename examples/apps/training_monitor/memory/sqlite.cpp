#include "memory/sqlite.hpp"

#include <cerrno>
#include <cstring>
#include <sqlite3.h>

namespace training_monitor::sqlite {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

std::string system_text(sqlite3* raw) {
    const int number = raw ? sqlite3_system_errno(raw) : errno;
    return number == 0 ? std::string() : " (" + std::string(std::strerror(number)) + ")";
}

// What to do about it; SQLite's own text says what it is.
std::string remedy(int code, sqlite3* raw) {
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return "it is not a state file (no SQLite database): give another --state FILE, or move this one away";
    case SQLITE_CORRUPT:
        return "it is damaged: put a copy of it back, or move it away (and FILE-wal, FILE-shm) to begin anew";
    case SQLITE_FULL: return "the disk is full: make room there";
    case SQLITE_READONLY: return "it can't be written: make the file and its directory writable for this user";
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return "it can't be opened" + system_text(raw) + ": the directory must exist, and this user be able to write";
    case SQLITE_IOERR: return "the disk can't be read or written" + system_text(raw) + ": make room, or mend it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another program keeps it locked: end that one, or give another --state FILE";
    default: return {};
    }
}

error describe(const std::string& path, int code, sqlite3* raw) {
    std::string text = "state file " + path + ": ";
    const std::string what = remedy(code, raw);
    text += what.empty() ? std::string() : what + " [";
    text += raw ? sqlite3_errmsg(raw) : sqlite3_errstr(code);
    return error(errc::file_failed, text + (what.empty() ? "" : "]"));
}

error last_error(sqlite3* raw) {
    const char* path = sqlite3_db_filename(raw, "main");
    return describe(path ? path : "", sqlite3_extended_errcode(raw), raw);
}

}  // namespace

void statement::finalize::operator()(sqlite3_stmt* raw) const { sqlite3_finalize(raw); }

// A bind fails only for a wrong number or without memory; then step() gives an error of its own.
statement& statement::bind(int at, std::int64_t value) {
    sqlite3_bind_int64(raw_.get(), at, value);
    return *this;
}

statement& statement::bind(int at, std::string_view text) {
    sqlite3_bind_text64(raw_.get(), at, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

statement& statement::bind(int at, const std::optional<std::int64_t>& value) {
    if (value) return bind(at, *value);
    sqlite3_bind_null(raw_.get(), at);
    return *this;
}

statement& statement::bind_blob(int at, std::string_view bytes) {
    sqlite3_bind_blob64(raw_.get(), at, bytes.data() ? bytes.data() : "", bytes.size(), SQLITE_STATIC);
    return *this;
}

result<bool> statement::step() {
    const int code = sqlite3_step(raw_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) {
        sqlite3_reset(raw_.get());
        return false;
    }
    const error why = last_error(sqlite3_db_handle(raw_.get()));
    sqlite3_reset(raw_.get());
    return why;
}

result<void> statement::run() {
    const auto stepped = step();
    if (!stepped) return stepped.error();
    return {};
}

std::int64_t statement::integer(int column) const { return sqlite3_column_int64(raw_.get(), column); }

std::optional<std::int64_t> statement::maybe_integer(int column) const {
    if (sqlite3_column_type(raw_.get(), column) == SQLITE_NULL) return std::nullopt;
    return integer(column);
}

std::string_view statement::text(int column) const {
    const void* bytes = sqlite3_column_blob(raw_.get(), column);
    const int size = sqlite3_column_bytes(raw_.get(), column);
    return bytes ? std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size))
                 : std::string_view();
}

void database::close::operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }

result<database> database::open(const std::string& path, open_mode mode, std::chrono::milliseconds busy) {
    database out(path);
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= mode == open_mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == open_mode::read_write_create) flags |= SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    out.raw_.reset(raw);
    if (code != SQLITE_OK) return describe(path, code, raw);
    sqlite3_busy_timeout(raw, static_cast<int>(busy.count()));
    return out;
}

result<void> database::execute(const char* sql) {
    if (sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return last_error(raw_.get());
    return {};
}

result<statement> database::prepare(const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(raw_.get(), sql, -1, &made, nullptr) != SQLITE_OK) return last_error(raw_.get());
    return statement(made);
}

result<std::int64_t> database::integer(const char* sql) {
    auto made = prepare(sql);
    if (!made) return made.error();
    const auto row = made->step();
    if (!row) return row.error();
    return *row ? made->integer(0) : 0;
}

result<std::string> database::text(const char* sql) {
    auto made = prepare(sql);
    if (!made) return made.error();
    const auto row = made->step();
    if (!row) return row.error();
    return *row ? std::string(made->text(0)) : std::string();
}

bool database::in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }

error database::rolled_back(error why) {
    if (in_transaction()) {
        const auto undone = execute("ROLLBACK");
        static_cast<void>(undone);  // SQLite rolls back by itself after the errors that matter
    }
    return why;
}

bool database::is_read_only() const { return sqlite3_db_readonly(raw_.get(), "main") == 1; }

}  // namespace training_monitor::sqlite
