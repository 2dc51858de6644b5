// Notifies people of what happens to jobs: changes in, notices out, to each receiver in its own time.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "history/history.hpp"
#include "notices/cluster_vigils.hpp"
#include "notices/conditions.hpp"
#include "notices/config.hpp"
#include "notices/dispatcher.hpp"
#include "notices/vigils.hpp"
#include "table/change.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor::notices {

/// A job all of whose GPUs are at 0 %.
struct idle_job {
    std::shared_ptr<const job_view> job;
    kcontrol::wall_time since{};
};

/// What becomes of a notice is written to the history: people are notified once of each state of a job, over restarts,
/// too. Quiet for what was there before the first start.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment and the history outlive it; it outlives run().
class center {
public:
    center(kcontrol::environment& env, kcontrol::executor ex, notice_config config, history& past,
           kcontrol::http::transport_factory transport, kcontrol::logger log);
    center(const center&) = delete;
    center& operator=(const center&) = delete;

    /// Enqueues the notices that these changes are worth. Never waits.
    void take(const observation& seen);

    /// The jobs of a cluster whose GPUs idle, since when; no others of it do, or it is not known that they do.
    void take_idle(const std::string& cluster, const std::vector<idle_job>& jobs);

    /// Delivers until `stop`.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// What receivers were told of by an earlier run, before run(). A condition that does not show again within two
    /// minutes is over. False: there is no such receiver.
    bool restore(const kept_alert& told);

    /// What delivers them.
    dispatcher& deliveries() noexcept { return out_; }
    const dispatcher& deliveries() const noexcept { return out_; }

private:
    void take(const enriched_change& seen);
    void notify(std::shared_ptr<const job_view> job, standing from, standing to);
    notice make(std::shared_ptr<const job_view> job, standing from, standing to) const;
    void watch(const enriched_change& seen);
    void watch_conditions(const change& c);
    void hold(std::shared_ptr<const job_view> job, job_condition which, kcontrol::duration lasted);
    void tell(std::size_t receiver, const rule_manner& how, notice n);
    void end_quiet(kcontrol::time_point now);
    bool still_holds(const notice& n) const;
    void condition_over(const job_view& job, job_condition which);
    void check_restored();
    void announce(std::vector<ended_alert> ended, const std::shared_ptr<const job_view>& job, standing to);
    void release(lasted_state over);
    void take(const change& of_cluster);
    void tell(const cluster_news& news);
    kcontrol::awaitable<void> serve_time(std::stop_token stop);
    std::optional<kcontrol::time_point> next_time() const;
    void catch_up(const job_record& known);
    std::string id_of(const job_view& job, standing to) const;
    void finish(const notice& n);

    kcontrol::environment& env_;
    kcontrol::executor ex_;
    notice_config config_;
    history& past_;
    kcontrol::logger log_;
    vigils vigils_;
    conditions conditions_;
    cluster_vigils clusters_;
    std::set<std::string> unreadable_;  ///< clusters
    std::vector<lasted_state> parked_;  ///< of jobs there: nobody knows whether it still is so
    struct quiet_notice {
        std::size_t to;
        notice what;
    };
    std::multimap<kcontrol::time_point, quiet_notice> quiet_;  ///< by the end of their rules' quiet hours
    std::optional<kcontrol::time_point> check_at_;  ///< when what was restored must have shown whether it still holds
    kcontrol::async_event time_changed_;
    dispatcher out_;
};

}  // namespace training_monitor::notices
