// The inside of a controller: its sources, its queue and the run in progress.
#pragma once

#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/runtime/failure_log.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {
struct reconcile_end;
}

struct any_controller::impl : std::enable_shared_from_this<any_controller::impl> {
    struct watched {
        std::shared_ptr<event_source> source;
        any_event_handler deliver;
        subscription hold;
    };

    impl(environment& e, executor x, std::string n, std::shared_ptr<detail::work_queue> w, controller_options o)
        : env(e),
          ex(std::move(x)),
          name(std::move(n)),
          options(std::move(o)),
          log(options.log().value_or(logger()).with("controller", name)),
          trace(guarded_sink(env, log, options.trace())),
          work(std::move(w)),
          calls(env, log) {
        work->shut_down();  // what is added before the start is dropped
        stats.max_concurrent_reconciles = options.max_concurrent_reconciles();
        if (options.hold_back()) pressure.emplace(*options.hold_back());
    }

    void deliver(const any_event& event, const std::vector<predicate>& predicates, const kind_event_handler& handle,
                 std::string_view kind);
    void tell_gone(const any_event& event, const deletion_handler& gone);
    result<void> subscribe(std::uint64_t watch_id);
    result<void> subscribe_all(const std::stop_token& stop);
    std::string describe(const event_source& source);
    awaitable<result<bool>> wait_for_source(std::shared_ptr<event_source> source, std::stop_token stop,
                                            std::optional<time_point> deadline);

    std::stop_token begin(const stop_parents& parents, user_task within);
    static awaitable<bool> stop(std::shared_ptr<impl> self);
    static awaitable<result<void>> run(std::shared_ptr<impl> self, stop_parents stop);
    awaitable<result<void>> run_begun(std::stop_token stop);
    awaitable<result<void>> wait_for_sync(std::stop_token stop);
    void tell_waiting(const event_source& source);
    void tell_failed(const error& why);
    void tell_started();
    awaitable<void> dispatch(std::stop_token stop);
    void observe_load();
    admission admit() const;
    std::optional<time_point> next_deadline() const;
    std::shared_ptr<detail::work_item> take();
    awaitable<void> reconcile(std::shared_ptr<detail::work_item> item, reasoned_token within, std::uint64_t generation);
    void settle(const detail::work_item& item, const detail::reconcile_end& end, stop_reason why, bool stopping,
                const logger& named);
    std::shared_ptr<own_writes> follow_writes(const executor& by);
    awaitable<void> see_writes(std::shared_ptr<own_writes> written, std::stop_token stop, logger named);
    trace_context span_above(const detail::work_item& item);
    trace_parent begin_trace(const std::string& id, const trace_context& under);
    void trace_wait(const detail::work_item& item, const trace_parent& of);
    void trace_reconcile(const detail::work_item& item, const trace_parent& of, const trace_context& under,
                         const detail::reconcile_end& end, duration took);
    std::vector<log_field> span_fields(const detail::work_item& item);
    void start_daemon(const detail::work_item& item, const reasoned_token& within, const std::string& daemon,
                      daemon_function f);
    void tell_refused(const logger& named, bool room);
    void stop_daemon(const detail::work_item& item, const std::string& daemon);
    duration add_again(const detail::work_item& item, add_options how, cause_type why);
    priority_stats* stats_of(int priority);
    void add_queue_stats(std::vector<priority_stats>& out) const;

    environment& env;
    executor ex;
    std::string name;
    controller_options options;
    logger log;
    trace_sink trace;
    std::shared_ptr<detail::work_queue> work;
    guarded_calls calls;  // of predicates, event handlers and sources
    std::map<std::uint64_t, watched> sources;
    std::uint64_t last_watch_id = 0;

    enum class trouble { waiting, failed };
    failure_log<trouble> journal;  // of the way to the first reconcile, through every run
    controller_state state = controller_state::idle;
    async_event state_changed;
    std::optional<error> last_error;
    std::shared_ptr<reasoned_stop> term;  // the present run
    std::uint64_t generation = 0;         // counts runs
    std::size_t active_in_term = 0;       // reconciles of the present run
    std::shared_ptr<task_group> tasks;    // the last run's reconciles and daemons
    controller_stats stats;
    std::shared_ptr<detail::daemon_counts> daemons = std::make_shared<detail::daemon_counts>();
    log_rate_limit refused_daemons{std::chrono::minutes(1)};
    std::optional<backpressure> pressure;
    cluster* of_cluster = nullptr;  // null if nobody said it
    std::function<client_load()> load;
    std::function<std::shared_ptr<client_cache>()> cache;
    log_rate_limit unseen_told{std::chrono::minutes(1)};
    client_load last_load;
    std::size_t medium_in_term = 0;                      // of active_in_term, those of medium urgency
    std::map<std::optional<int>, priority_stats> times;  // by priority; nothing: those counted together
};

}  // namespace kcontrol
