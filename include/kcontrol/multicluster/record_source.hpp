// Clusters from records: each record with a kubeconfig, or the path of one, is a cluster.
#pragma once

#include <kcontrol/auth/trust.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_record.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How a record_source polls records, and what it trusts in them.
class record_source_options {
public:
    /// Who wrote the records. Default: somebody else, whose kubeconfigs may name no file, no program and no proxy, and
    /// whose servers are https; a record with a path names a file.
    record_source_options& trust(auth::trust level) { return trust_ = std::move(level), *this; }
    /// How often it asks whether records have changed. Default: 1 s.
    record_source_options& poll_period(duration d) { return poll_period_ = d, *this; }
    /// How often the files are read again that records name, or their kubeconfigs. Default: 10 s.
    record_source_options& reload_interval(duration d) { return reload_interval_ = d, *this; }
    /// Where cluster_records::poll() is called, as the executor of a thread that may wait for a disk. Default: the
    /// source's own.
    record_source_options& worker(executor ex) { return worker_ = std::move(ex), *this; }
    /// Told which records can't be used or read, and what functions throw.
    record_source_options& log(logger l) { return log_ = std::move(l), *this; }

    const auth::trust& trust() const noexcept { return trust_; }
    duration poll_period() const noexcept { return poll_period_; }
    duration reload_interval() const noexcept { return reload_interval_; }
    const std::optional<executor>& worker() const noexcept { return worker_; }
    const logger& log() const noexcept { return log_; }

private:
    auth::trust trust_ = auth::trust::untrusted;
    duration poll_period_ = std::chrono::seconds(1);
    duration reload_interval_ = std::chrono::seconds(10);
    std::optional<executor> worker_;
    logger log_;
};

/// A record that is added, changed or removed is a cluster that engages, rotates or disengages, without touching
/// another.
///
/// A record that can't be used is a cluster that failed, with the reason, which is logged once; where it was good
/// before, that stays in use, with a warning. One without a name, and the second of one name, are logged and passed
/// over. Records that can't be read at all say nothing about any cluster: all stay, and the log says why once for each
/// reason; nothing is told before they were read. A kubeconfig whose record has the revision that it had when it was
/// good is not read again, but for the files. The cluster's name is the record's, as text that can be shown anywhere
/// (see scan_directory).
///
/// Thread-safety and callbacks: see cluster_source; the executor is a strand or a single-threaded context. Object
/// lifetime: the environment outlives it; a call of look() that is under way as it stops holds the records.
class record_source final : public cluster_source {
public:
    /// `ex`: where kubeconfigs are read and on_change() is called. `records` are not asked before start().
    KCONTROL_DECL record_source(environment& env, executor ex, std::shared_ptr<cluster_records> records,
                                record_source_options options = {});
    KCONTROL_DECL ~record_source() override;

    /// Errors: invalid_argument (it runs already).
    KCONTROL_DECL result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override;
    KCONTROL_DECL void stop() override;

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/multicluster/impl/record_source.ipp>
#endif
