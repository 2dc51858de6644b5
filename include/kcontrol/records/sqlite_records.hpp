// Records of clusters in one table of an SQLite database: a cluster_records that programs and people write to.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/multicluster/cluster_record.hpp>
#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How the file is used.
class sqlite_records_options {
public:
    /// How long a call waits while another program writes. Default: 1 s.
    sqlite_records_options& busy_timeout(duration d) { return busy_timeout_ = d, *this; }

    duration busy_timeout() const noexcept { return busy_timeout_; }

private:
    duration busy_timeout_ = std::chrono::seconds(1);
};

/// The table `clusters`: name, kubeconfig (its text), path (of one in a file), context, labels (a JSON object of
/// strings) and revision, which the file counts by itself. Any program may write to it, with any tool that speaks
/// SQLite. A row that can't be used is a record with a fault, and no other row's affair.
///
/// What a call wrote is on the disk when it returns, and whole after a crash. A look() notices what any process wrote,
/// without reading the rows where nobody did. The file is made for its owner only, for kubeconfigs stand in it as they
/// are; who wants them sealed derives from cluster_records. It stays the same file: one that is put in its place while
/// it is open is not noticed.
///
/// Thread-safety: shared objects safe: a call waits for the one before. Every call may block for a disk.
class sqlite_records final : public cluster_records {
public:
    /// Of the table, kept as the file's user_version; a file with a newer one is refused.
    static constexpr std::int64_t schema_version = 1;

    /// Opens the file, or makes it. An older schema is brought up to date; a newer one, another program's database and
    /// a damaged one are refused, and left as they are.
    /// Errors: file_failed, naming the file, what is wrong and the remedy.
    static KCONTROL_DECL result<std::shared_ptr<sqlite_records>> open(std::string path,
                                                                      sqlite_records_options options = {});
    KCONTROL_DECL ~sqlite_records() override;

    KCONTROL_DECL result<std::optional<std::vector<cluster_record>>> poll(bool anyway) override;

    /// Adds the record, or puts it in the place of the one of its name. Its revision and fault do not count.
    /// Errors: invalid_argument (it has no name; neither a kubeconfig nor a path), file_failed.
    KCONTROL_DECL result<void> put(const cluster_record& record);

    /// False if there is no such record. Errors: file_failed.
    KCONTROL_DECL result<bool> remove(std::string_view name);

private:
    struct impl;
    explicit sqlite_records(std::unique_ptr<impl> i);
    std::unique_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/records/impl/sqlite_records.ipp>
#endif
