// Delivers notices, to each receiver in its own time: repeats summed up, one cause grouped, queues, tries, dead
// letters.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "histogram.hpp"
#include "notices/alerts.hpp"
#include "notices/config.hpp"
#include "notices/grouping.hpp"
#include "notices/notice_queue.hpp"
#include "notices/repeats.hpp"
#include "notices/sender.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
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

/// Which receiver gets which notice is decided before; `place` is a receiver's in the configuration.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a single-threaded context.
/// Object lifetime: the environment and the receivers' configuration outlive it.
class dispatcher {
public:
    /// Whom it asks and tells; none of them is empty.
    struct reports {
        std::function<void(const notice&)> finished;  ///< one receiver is done with it
        grouping::latest_job latest;
        std::function<void()> time_changed;  ///< next_time() may be sooner now
    };
    dispatcher(kcontrol::environment& env, const kcontrol::executor& ex, const std::vector<receiver_config>& receivers,
               const kcontrol::http::transport_factory& transport, kcontrol::logger log, reports report);
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    /// One of a state: told again within the receiver's time it is summed up.
    void hand_over(std::size_t place, notice n);
    /// One that is told as it is.
    void enqueue(std::size_t place, notice n);

    /// Of repeats and groups, what is due by time alone.
    void release_due(kcontrol::time_point now);
    std::optional<kcontrol::time_point> next_time() const;

    /// Reads the last lines of the log of the container that failed, where they may be shown; at most so many.
    using log_reader = std::function<kcontrol::awaitable<std::vector<std::string>>(
        std::shared_ptr<const job_view> job, std::size_t lines, std::stop_token stop)>;
    /// Failures are told with them. Call it before spawn().
    void read_logs_with(log_reader read) { read_log_ = std::move(read); }

    /// Delivers until `stop`, a task for each receiver.
    void spawn(kcontrol::task_group& tasks, std::stop_token stop);

    /// What receivers were told of and is not over.
    alerts& open_alerts() noexcept { return alerts_; }

    /// Is given each alert that begins, changes or ends, for who keeps them. After restore().
    void on_alert(std::function<void(const kept_alert&)> keep);
    /// What receivers were told of by an earlier run; false: there is no such receiver, or it has no threads.
    bool restore(const kept_alert& told);

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
    void queue_up(receiver& r, notice n);
    void bury(receiver& r, dead_notice n);
    void record(receiver& r, const notice& tried, const delivery& how);
    kcontrol::awaitable<void> add_log(receiver& r, notice& n, std::stop_token stop);
    kcontrol::awaitable<void> serve(receiver& r, std::stop_token stop);

    kcontrol::environment& env_;
    kcontrol::logger log_;
    reports report_;
    std::vector<std::unique_ptr<receiver>> receivers_;
    alerts alerts_;
    log_reader read_log_;
    std::deque<dead_letter> dead_;
    latency_histogram latency_{latency_bounds};
};

}  // namespace training_monitor::notices
