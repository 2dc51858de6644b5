// The recorders of one cluster, one for each who reports: they start, stop and change their credentials together.
#pragma once

#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/runtime/scope.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What the recorder of one who reports has counted.
class recorder_report {
public:
    /// Who reports, and what his recorder has counted.
    recorder_report(std::string who, event_recorder_stats s) : controller(std::move(who)), stats(s) {}

    std::string controller;      ///< who reports: event_recorder_options::controller()
    event_recorder_stats stats;  ///< at the time of the report
};

/// What a cluster keeps its event_recorders in.
///
/// Thread-safety: shared objects unsafe; use it on its executor. Each recorder has its own rules.
/// Cancellation: see stop(). Object lifetime: whoever holds a recorder may hold it longer; it writes nothing then.
class recorder_set {
public:
    /// One without recorders, which does not run yet. The environment outlives it.
    recorder_set(environment& env, executor ex, client cl, logger log = {})
        : env_(&env), ex_(std::move(ex)), client_(std::move(cl)), log_(std::move(log)) {}
    recorder_set(const recorder_set&) = delete;
    recorder_set& operator=(const recorder_set&) = delete;

    /// The recorder of who reports by that name, made at the first call, whose options count. It writes while the set
    /// runs; notes that come before are kept.
    KCONTROL_DECL std::shared_ptr<event_recorder> of(const event_recorder_options& options);

    KCONTROL_DECL void start();  ///< all write, those to come included; idempotent; also after a stop()
    /// Ends all at once, each as event_recorder::stop() does, at `deadline` or after 5 s, whichever is earlier. True if
    /// every note was written or decided upon; else the log is told. Idempotent.
    KCONTROL_DECL awaitable<bool> stop(time_point deadline);
    KCONTROL_DECL void rebuild(client next);  ///< all write through that client from now on

    /// What each has counted, by who reports.
    KCONTROL_DECL std::vector<recorder_report> reports() const;
    /// write_recorder_metrics() of that.
    KCONTROL_DECL void write_metrics(metrics_writer& out, const std::string& cluster) const;

private:
    environment* env_;
    executor ex_;
    client client_;
    logger log_;
    std::map<std::string, std::shared_ptr<event_recorder>> recorders_;
    bool running_ = false;
    scope lifetime_;  // whoever holds a recorder longer than its set does not make it write
};

/// Writes the families kcontrol_events_…, with the labels cluster and controller (who reports).
KCONTROL_DECL void write_recorder_metrics(metrics_writer& out, const std::string& cluster,
                                          const std::vector<recorder_report>& all);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/record/impl/recorder_set.ipp>
#endif
