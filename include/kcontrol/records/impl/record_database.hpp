// SQLite with results instead of codes: a connection and a statement. The one file that includes sqlite3.h.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// A prepared statement. Parameters count from 1, columns from 0; what is bound lives until step().
class record_statement {
public:
    record_statement(sqlite3_stmt* raw, const std::string& path) : raw_(raw), path_(&path) {}

    record_statement& bind(int at, std::string_view text) {
        sqlite3_bind_text64(raw_.get(), at, pointer(text), text.size(), SQLITE_STATIC, SQLITE_UTF8);
        return *this;
    }
    record_statement& bind_blob(int at, std::string_view bytes) {
        sqlite3_bind_blob64(raw_.get(), at, pointer(bytes), bytes.size(), SQLITE_STATIC);
        return *this;
    }

    /// True: there is a row.
    inline result<bool> step();

    std::int64_t integer(int column) const { return sqlite3_column_int64(raw_.get(), column); }
    bool is_text(int column) const { return sqlite3_column_type(raw_.get(), column) == SQLITE_TEXT; }
    /// Valid until the next step().
    std::string_view bytes(int column) const {
        const void* const found = sqlite3_column_blob(raw_.get(), column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column));
        return found == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(found), size);
    }

private:
    struct finalize {
        void operator()(sqlite3_stmt* raw) const { sqlite3_finalize(raw); }
    };
    static const char* pointer(std::string_view text) { return text.data() == nullptr ? "" : text.data(); }

    std::unique_ptr<sqlite3_stmt, finalize> raw_;
    const std::string* path_;
};

/// A connection. Every error names the file, what is wrong and the remedy.
///
/// Thread-safety: shared objects unsafe.
class record_database {
public:
    static inline result<std::unique_ptr<record_database>> open(std::string path, duration busy);

    result<void> execute(const char* sql) {
        if (const int code = sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr); code != SQLITE_OK) {
            return describe(path_, sqlite3_extended_errcode(raw_.get()), raw_.get());
        }
        return {};
    }
    result<record_statement> prepare(const char* sql) {
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(raw_.get(), sql, -1, &made, nullptr) != SQLITE_OK) {
            return describe(path_, sqlite3_extended_errcode(raw_.get()), raw_.get());
        }
        return record_statement(made, path_);
    }
    /// The one number that `sql` gives.
    result<std::int64_t> integer(const char* sql) {
        auto made = prepare(sql);
        if (!made) return made.error();
        const auto row = made->step();
        if (!row) return row.error();
        return *row ? made->integer(0) : 0;
    }
    result<std::string> text(const char* sql) {
        auto made = prepare(sql);
        if (!made) return made.error();
        const auto row = made->step();
        if (!row) return row.error();
        return *row ? std::string(made->bytes(0)) : std::string();
    }
    /// Takes back the open transaction because of `why`, which it returns.
    error rolled_back(error why) {
        sqlite3_exec(raw_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        return why;
    }
    bool is_read_only() const { return sqlite3_db_readonly(raw_.get(), "main") == 1; }
    const std::string& path() const noexcept { return path_; }

    error failed(const std::string& what) const { return error(errc::file_failed, about(path_) + what); }
    static inline error describe(const std::string& path, int code, sqlite3* raw);

private:
    struct close {
        void operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }
    };
    explicit record_database(std::string path) : path_(std::move(path)) {}
    static std::string about(const std::string& path) { return "records of clusters in " + path + ": "; }

    std::string path_;
    std::unique_ptr<sqlite3, close> raw_;
};

// What to do about it; SQLite's own text says what it is.
inline const char* record_remedy(int code) {
    switch (code & 0xff) {
    case SQLITE_NOTADB: return "it is no SQLite database: give another file, or move this one away";
    case SQLITE_CORRUPT: return "it is damaged: put a copy of it back, or move it away (and FILE-wal, FILE-shm)";
    case SQLITE_FULL: return "the disk is full: make room there";
    case SQLITE_READONLY: return "it can't be written: make the file and its directory writable for this user";
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return "it can't be opened: the directory must exist, and this user be able to write there";
    case SQLITE_IOERR: return "the disk can't be read or written: make room, or mend it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another program keeps it locked: end that one, or wait for longer";
    default: return "SQLite refuses";
    }
}

inline error record_database::describe(const std::string& path, int code, sqlite3* raw) {
    std::string text = about(path) + record_remedy(code) + " [";
    text += raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(code);
    const int number = raw != nullptr ? sqlite3_system_errno(raw) : 0;
    if (number != 0 && (code & 0xff) != SQLITE_BUSY) text += std::string(": ") + std::strerror(number);
    return error(errc::file_failed, text + "]");
}

inline result<bool> record_statement::step() {
    const int code = sqlite3_step(raw_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    sqlite3* const of = sqlite3_db_handle(raw_.get());
    return record_database::describe(*path_, sqlite3_extended_errcode(of), of);
}

inline result<std::unique_ptr<record_database>> record_database::open(std::string path, duration busy) {
    std::unique_ptr<record_database> out(new record_database(std::move(path)));
    sqlite3* raw = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(out->path_.c_str(), &raw, flags, nullptr);
    out->raw_.reset(raw);
    if (code != SQLITE_OK) return describe(out->path_, code, raw);
    sqlite3_busy_timeout(raw, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(busy).count()));
    return out;
}

}  // namespace kcontrol::detail
