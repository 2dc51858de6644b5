// What another program does to the file: it speaks SQLite by itself.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <sqlite3.h>
#include <string>

namespace kcontrol::test {

struct close_database {
    void operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }
};

inline std::unique_ptr<sqlite3, close_database> open_database(const std::string& path) {
    sqlite3* raw = nullptr;
    const bool opened = sqlite3_open(path.c_str(), &raw) == SQLITE_OK;
    std::unique_ptr<sqlite3, close_database> out(raw);
    if (!opened) out.reset();
    return out;
}

inline bool try_execute(const std::string& path, const std::string& sql) {
    const auto db = open_database(path);
    return db && sqlite3_exec(db.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

inline void execute(const std::string& path, const std::string& sql) { REQUIRE(try_execute(path, sql)); }

/// A write that is not committed as long as this lives.
class open_transaction {
public:
    explicit open_transaction(const std::string& path) : db_(open_database(path)) {
        REQUIRE(sqlite3_exec(db_.get(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
    }

private:
    std::unique_ptr<sqlite3, close_database> db_;
};

}  // namespace kcontrol::test
