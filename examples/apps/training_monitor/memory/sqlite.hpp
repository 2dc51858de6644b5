// SQLite with results instead of codes: a connection, and a statement. The only room that includes sqlite3.h.
#pragma once

#include <kcontrol/base/result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace training_monitor::sqlite {

/// A prepared statement. Parameters count from 1, columns from 0. What is bound must live until step().
class statement {
public:
    explicit statement(sqlite3_stmt* raw) : raw_(raw) {}

    statement& bind(int at, std::int64_t value);
    statement& bind(int at, std::string_view text);
    statement& bind(int at, const std::optional<std::int64_t>& value);
    statement& bind_blob(int at, std::string_view bytes);

    /// True: there is a row. False: done; the statement can be used again.
    /// Errors: as database's.
    kcontrol::result<bool> step();
    /// Runs a statement that gives no rows.
    kcontrol::result<void> run();

    std::int64_t integer(int column) const;
    std::optional<std::int64_t> maybe_integer(int column) const;
    /// Valid until the next step().
    std::string_view text(int column) const;

private:
    struct finalize {
        void operator()(sqlite3_stmt* raw) const;
    };
    std::unique_ptr<sqlite3_stmt, finalize> raw_;
};

enum class open_mode { read_write_create, read_write, read_only };

/// A connection to a database file. Every error names the file, what is wrong and the remedy.
///
/// Thread-safety: shared objects unsafe; it may move from thread to thread.
class database {
public:
    /// Waits `busy` for other programs' writes.
    static kcontrol::result<database> open(const std::string& path, open_mode mode, std::chrono::milliseconds busy);

    kcontrol::result<void> execute(const char* sql);
    kcontrol::result<statement> prepare(const char* sql);
    /// The one number that `sql` (a pragma, a count) gives.
    kcontrol::result<std::int64_t> integer(const char* sql);
    /// The one text, likewise.
    kcontrol::result<std::string> text(const char* sql);
    /// True while a transaction is open.
    bool in_transaction() const;
    /// Rolls back what is open, because of `why`, which it returns.
    kcontrol::error rolled_back(kcontrol::error why);
    bool is_read_only() const;

    const std::string& path() const noexcept { return path_; }

private:
    struct close {
        void operator()(sqlite3* raw) const;
    };
    explicit database(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::unique_ptr<sqlite3, close> raw_;
};

}  // namespace training_monitor::sqlite
