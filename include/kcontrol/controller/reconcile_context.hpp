// What a reconcile is given beside its request: a stop token, a logger, the environment.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/controller/daemon.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>
#include <kcontrol/runtime/trace.hpp>
#include <kcontrol/workqueue/cause.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

class client;   // client/client.hpp
class cluster;  // cluster/cluster.hpp

/// The circumstances of one reconcile.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class reconcile_context {
public:
    /// The controller makes it; `retries` are failures since the last success; the environment outlives it.
    reconcile_context(environment& env, std::stop_token stop, logger log, std::string id, std::uint64_t retries)
        : env_(&env),
          stop_(reasoned_token(std::move(stop))),
          log_(std::move(log)),
          id_(std::move(id)),
          retries_(retries) {}
    /// A token that says why, in place of the plain one.
    reconcile_context& stopped_by(reasoned_token token) { return stop_ = std::move(token), *this; }
    /// Who keeps daemons and timers; null, the default: nobody, and daemon() and timer() do nothing.
    reconcile_context& daemons(std::shared_ptr<detail::daemon_keeper> k) { return daemons_ = std::move(k), *this; }
    reconcile_context& trace(trace_parent t) { return trace_ = std::move(t), *this; }  ///< default: nothing is traced
    /// What get_executor() gives; default: an empty one.
    reconcile_context& home(executor ex) { return home_ = std::move(ex), *this; }
    /// What get_cluster() gives; default: it throws.
    reconcile_context& in_cluster(cluster& c) { return cluster_ = &c, *this; }
    reconcile_context& causes(cause_set c) { return causes_ = std::move(c), *this; }  ///< default: none
    reconcile_context& priority(int p) { return priority_ = p, *this; }               ///< default: 0
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL reconcile_context(const reconcile_context&);
    KCONTROL_DECL reconcile_context(reconcile_context&&) noexcept;
    KCONTROL_DECL reconcile_context& operator=(const reconcile_context&);
    KCONTROL_DECL reconcile_context& operator=(reconcile_context&&) noexcept;
    KCONTROL_DECL ~reconcile_context();

    /// Triggered when the controller stops, for whatever reason, when the reconcile's time is up
    /// (reconciliation_timeout) and, if asked, when its object is deleted (cancel_on_delete). Pass it to everything
    /// that waits: `client.get<pod>(key, get_options().stop(ctx.stop()))`.
    const std::stop_token& stop() const noexcept { return stop_.token(); }

    /// Why stop() was triggered; none as long as it was not.
    kcontrol::stop_reason stop_reason() const noexcept { return stop_.reason(); }
    /// Both in one, to be the parent of another reasoned_stop.
    const reasoned_token& reasoned() const noexcept { return stop_; }

    /// The controller's executor: the one for clients, informers and sources, where the reconciler runs on another one
    /// (run_on).
    const executor& get_executor() const noexcept { return home_; }

    /// The cluster whose object it is, with its client, caches and recorders: so that one reconciler serves a manager's
    /// own cluster and any number of engaged ones. During the reconcile only, and on get_executor(). Of a controller
    /// that no builder made, and that was not told (any_controller::work_on), it throws kcontrol::exception.
    KCONTROL_DECL cluster& get_cluster() const;
    /// The client of that cluster, whose requests are traced as parts of this reconcile. Like get_cluster().
    KCONTROL_DECL client get_client() const;

    /// Runs `f` for the object of the request, under that name, besides its reconciles and beyond this one, until the
    /// object is gone or the controller stops: a function that takes a daemon_context and returns
    /// `awaitable<result<void>>`. Does nothing where the object has one of that name already, so every reconcile may
    /// say it; the function that was given first goes on. One that fails is told and runs again with backoff
    /// (daemon_backoff); one that returns without an error is done, for as long as the object is there. How many
    /// there may be is bounded (max_daemons, max_daemons_per_object). During the reconcile only, where that runs (with
    /// run_on, from any thread); of an object that is gone nothing is run. See docs/controllers.md.
    template <class F>
    void daemon(std::string name, F f) const {
        constexpr bool is_daemon = detail::runs_as_daemon<F>;
        static_assert(is_daemon,
                      "kcontrol: a daemon is a coroutine that takes a kcontrol::daemon_context by value and returns "
                      "kcontrol::awaitable<kcontrol::result<void>>");
        if constexpr (is_daemon) start_daemon(std::move(name), daemon_function(std::move(f)));
    }
    /// The same of a function that is called at once and then again and again, `period` after it has returned.
    template <class F>
    void timer(std::string name, duration period, F f) const {
        constexpr bool is_daemon = detail::runs_as_daemon<F>;
        static_assert(is_daemon,
                      "kcontrol: the function of a timer is a coroutine that takes a kcontrol::daemon_context by value "
                      "and returns kcontrol::awaitable<kcontrol::result<void>>");
        if constexpr (is_daemon) start_daemon(std::move(name), periodically(period, daemon_function(std::move(f))));
    }
    /// Has the object reconciled once a period, for the first time after one, for as long as it is there: what
    /// reconcile_result::requeue_after() does for one time.
    void timer(std::string name, duration period) const {
        start_daemon(std::move(name), reconcile_periodically(period));
    }
    /// Ends the daemon or timer of that name, or forgets that it is done: the next daemon() of that name runs one, when
    /// this one has returned.
    KCONTROL_DECL void stop_daemon(std::string name) const;

    /// Its records carry the controller's name, the request, the reconcile id and the causes.
    const logger& log() const noexcept { return log_; }

    /// Under which what the reconcile does is traced: `cl.traced(ctx.trace())`.
    const trace_parent& trace() const noexcept { return trace_; }

    /// A UUID that only this reconcile has.
    const std::string& reconcile_id() const noexcept { return id_; }

    /// Failures of this request since its last success.
    std::uint64_t retries() const noexcept { return retries_; }

    /// What happened to make this reconcile due: up to four different events, and how many there were besides. For the
    /// log, and for people; a reconciler that decides by it misses what came when nobody listened.
    const cause_set& causes() const noexcept { return causes_; }

    /// The priority it had in the queue.
    int priority() const noexcept { return priority_; }

    environment& env() const noexcept { return *env_; }  ///< the controller's; its clock, timers and randomness

private:
    KCONTROL_DECL void start_daemon(std::string name, daemon_function f) const;

    environment* env_;
    reasoned_token stop_;
    executor home_;
    trace_parent trace_;
    cluster* cluster_ = nullptr;
    std::shared_ptr<detail::daemon_keeper> daemons_;
    logger log_;
    std::string id_;
    std::uint64_t retries_;
    cause_set causes_;
    int priority_ = 0;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/reconcile_context.ipp>
#endif
