// Notifies people of what happens to jobs: changes in, notices out, to each receiver in its own time.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "histogram.hpp"
#include "history/history.hpp"
#include "notices/alerts.hpp"
#include "notices/cluster_vigils.hpp"
#include "notices/conditions.hpp"
#include "notices/config.hpp"
#include "notices/grouping.hpp"
#include "notices/notice_queue.hpp"
#include "notices/repeats.hpp"
#include "notices/sender.hpp"
#include "notices/vigils.hpp"
#include "table/change.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace training_monitor::notices {

/// A notice that did not arrive, as it is shown.
struct dead_letter {
    std::string receiver, job, state;
    kcontrol::wall_time at{};
    std::uint32_t attempts = 0;
    std::string error;
};

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

    /// Reads the last lines of the log of the container that failed, where they may be shown; at most so many.
    using log_reader = std::function<kcontrol::awaitable<std::vector<std::string>>(
        std::shared_ptr<const job_view> job, std::size_t lines, std::stop_token stop)>;
    /// Failures are told with them. Call it before run().
    void read_logs_with(log_reader read) { read_log_ = std::move(read); }

    /// Delivers until `stop`.
    kcontrol::awaitable<void> run(std::stop_token stop);

    /// The answer of /api/v1/notices.
    std::string json() const;

    struct receiver {
        receiver(const receiver_config& c, std::size_t at, sender s)
            : config(c), place(at), again(c.repeat_after), groups(c.group), queue(c.queue), deliver(std::move(s)) {}
        const receiver_config& config;
        std::size_t place;  ///< in the configuration
        repeats again;
        grouping groups;
        notice_queue queue;
        sender deliver;
        kcontrol::async_event wake;
        bool failing = false;   ///< the last try did not succeed
        bool dropping = false;  ///< since then the full queue has dropped notices
        std::string log_of;     ///< the id of the notice that `log` was read for
        std::vector<std::string> log;
    };
    /// For /metrics, in the order of the configuration.
    const std::vector<std::unique_ptr<receiver>>& receivers() const noexcept { return receivers_; }
    const latency_histogram& latency() const noexcept { return latency_; }
    const std::deque<dead_letter>& dead_letters() const noexcept { return dead_; }
    static constexpr std::size_t most_dead_letters = 200;

private:
    void take(const enriched_change& seen);
    void notify(std::shared_ptr<const job_view> job, standing from, standing to);
    notice make(std::shared_ptr<const job_view> job, standing from, standing to) const;
    void watch(const enriched_change& seen);
    void watch_conditions(const change& c);
    void hold(std::shared_ptr<const job_view> job, job_condition which, kcontrol::duration lasted);
    void tell(receiver& r, const rule_manner& how, notice n);
    void hand_over(receiver& r, notice n);
    void enqueue(receiver& r, notice n);
    void queue_up(receiver& r, notice n);
    void end_quiet(kcontrol::time_point now);
    bool still_holds(const notice& n) const;
    void condition_over(const job_view& job, job_condition which);
    void announce(std::vector<ended_alert> ended, const std::shared_ptr<const job_view>& job, standing to);
    kcontrol::awaitable<void> add_log(receiver& r, notice& n, std::stop_token stop);
    void release(lasted_state over);
    void take(const change& of_cluster);
    void tell(const cluster_news& news);
    kcontrol::awaitable<void> serve_time(std::stop_token stop);
    std::optional<kcontrol::time_point> next_time() const;
    void catch_up(const job_record& known);
    std::string id_of(const job_view& job, standing to) const;
    void finish(const notice& n);
    void bury(receiver& r, dead_notice n);
    void record(receiver& r, const notice& tried, const delivery& how);
    kcontrol::awaitable<void> serve(receiver& r, std::stop_token stop);

    kcontrol::environment& env_;
    kcontrol::executor ex_;
    notice_config config_;
    history& past_;
    kcontrol::logger log_;
    std::vector<std::unique_ptr<receiver>> receivers_;
    vigils vigils_;
    conditions conditions_;
    cluster_vigils clusters_;
    alerts alerts_;
    log_reader read_log_;
    std::set<std::string> unreadable_;  ///< clusters
    std::vector<lasted_state> parked_;  ///< of jobs there: nobody knows whether it still is so
    struct quiet_notice {
        receiver* to;
        notice what;
    };
    std::multimap<kcontrol::time_point, quiet_notice> quiet_;  ///< by the end of their rules' quiet hours
    kcontrol::async_event time_changed_;
    std::deque<dead_letter> dead_;
    latency_histogram latency_{latency_bounds};
};

}  // namespace training_monitor::notices
