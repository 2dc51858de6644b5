// The file behind --data: what the server holds, as SQLite keeps it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/transport/self_signed.hpp>

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace kcontrol_apiserver {

/// Each change is one transaction of a write-ahead log that is on the disk when record() returns. Another program can't
/// have the file open meanwhile; the system lets go of it when this one ends, however it ends.
///
/// Thread-safety: shared objects unsafe.
class data_file {
public:
    /// Opens or makes the file, for its owner only. A file of something else, a damaged one and one that another
    /// program uses are errors, and stay as they are. Errors: file_failed, naming file and remedy.
    static kcontrol::result<std::unique_ptr<data_file>> open(const std::string& path);
    ~data_file();
    data_file(const data_file&) = delete;
    data_file& operator=(const data_file&) = delete;

    /// Who signs the server's certificates: the same one each time, made at the first.
    kcontrol::result<kcontrol::http::certificate_authority> authority(kcontrol::wall_time now);

    /// Shows the server what the file holds, or the file what a new server has.
    kcontrol::result<void> join(kcontrol::testing::api_server& api);

    /// Keeps a change.
    kcontrol::result<void> record(const kcontrol::testing::group_resource& id, kcontrol::testing::change what,
                                  const kcontrol::json::value& object);

private:
    class rows;

    explicit data_file(std::string path) : path_(std::move(path)) {}
    kcontrol::result<void> prepare();
    kcontrol::result<void> execute(const char* sql);
    kcontrol::result<std::int64_t> number(const char* sql);
    kcontrol::error failed(int code) const;
    kcontrol::error is_damaged(const std::string& how) const;
    kcontrol::result<kcontrol::testing::store_snapshot> read(const kcontrol::testing::store_snapshot& empty);

    std::string path_;
    sqlite3* db_ = nullptr;
    sqlite3_stmt* put_ = nullptr;
    sqlite3_stmt* drop_ = nullptr;
    sqlite3_stmt* version_ = nullptr;
};

}  // namespace kcontrol_apiserver
