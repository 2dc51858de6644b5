// The manager: what runs together against one cluster. It runs the cluster's informers, controllers and other work, and
// answers questions about their health and their metrics.
#pragma once

#include <kcontrol/controller/builder.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/health.hpp>
#include <kcontrol/manager/options.hpp>
#include <kcontrol/manager/runnable.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/serve/router.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1 {

enum class manager_state { idle, running, stopping };

/// Owns a home cluster with its informers and recorders, controllers and runnables. The order of a start is what serves
/// (run_group::serving, such as webhooks), informers, then the rest: a controller reconciles when its own informers are
/// in sync, and a runnable begins when all are. That of a stop is controllers and runnables, then informers, then what
/// serves, then recorders of Events. With manager_options::leader_election() informers run always, so that a follower's
/// caches are warm, and the rest only while this process leads, unless it is added to the group `always`; the Lease is
/// given up when the work of the leader has returned.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to run() or start().
/// Object lifetime: destruction stops it; what still runs keeps the shared part alive. The environment outlives that.
class manager final : public controller_host {
public:
    /// Runs nothing before run() or start(); `cl` is what get_unfenced_client() gives.
    KCONTROL_DECL manager(environment& env, executor ex, client cl, manager_options options = {});
    KCONTROL_DECL ~manager() override;
    manager(const manager&) = delete;
    manager& operator=(const manager&) = delete;

    /// The cluster it runs against. Its informers run while the manager does.
    KCONTROL_DECL cluster& get_cluster() noexcept override;

    /// The informer of a kind, which all of this manager's controllers share.
    template <resource T>
    std::shared_ptr<informer<T>> get_informer() {
        return get_cluster().template get_informer<T>();
    }
    /// The informers of a kind as one, in however many namespaces it is watched.
    template <resource T>
    merged_informer<T> get_informers() {
        return get_cluster().template get_informers<T>();
    }
    /// Forgets them; see cluster::remove_informers_of.
    template <resource T>
    awaitable<result<void>> remove_informer() {
        return get_cluster().template remove_informer<T>();
    }

    /// Writes Events in the name of a controller, for `kubectl describe`; see cluster::get_event_recorder() and
    /// record/event_recorder.hpp. `get_cluster().recorder_of(options)` takes options.
    KCONTROL_DECL std::shared_ptr<event_recorder> get_event_recorder(std::string reporter);

    /// Gives it the manager's tracing, unless it has its own.
    KCONTROL_DECL void adjust(controller_options& of) const override;

    /// Adds a controller, or other work; while the manager runs it is started at once. Controllers are usually made by
    /// a controller_builder, which adds them. Errors: invalid_argument (the controller's name is taken), unavailable
    /// (the manager is stopping).
    KCONTROL_DECL result<void> add(std::shared_ptr<any_controller> added) override;
    KCONTROL_DECL result<void> add(runnable added);  ///< the same of other work, whose name need not be unique
    /// The same host for what runs whether this process leads or not: `controller_builder(m.always(), "seen")`.
    KCONTROL_DECL controller_host& always() noexcept;

    /// Checks behind /healthz and /readyz; see health_handler. `name` is unique in its list: a later check of the same
    /// name replaces the earlier one.
    KCONTROL_DECL void add_healthz_check(std::string name, health_check check);
    KCONTROL_DECL void add_readyz_check(std::string name, health_check check);  ///< the same for /readyz
    KCONTROL_DECL void add_healthz_check(named_check check);                    ///< the same with details
    KCONTROL_DECL void add_readyz_check(named_check check);                     ///< the same with details, for /readyz
    /// The check "informers_synced", for add_readyz_check(); run() adds it by itself. It is well once every informer
    /// has synced, and as manager_options::ready_when() says from then on; otherwise it names those in the way, and
    /// why.
    /// `?verbose` tells the state of every informer, well or not. Valid as long as the manager lives.
    KCONTROL_DECL named_check informers_synced() const;

    /// Runs until `stop` is triggered, stop() is called, or a controller or runnable fails; then stops everything in
    /// bounded time. It can be run again then. Errors: that of the part that failed, timeout (something did not return
    /// in time), invalid_argument (it runs already).
    KCONTROL_DECL awaitable<result<void>> run(std::stop_token stop = {});

    /// run() in the background. last_error() has what it returned. Does nothing while it runs.
    KCONTROL_DECL void start(std::stop_token stop = {});

    /// Ends the run and waits for its end, in bounded time: the graceful shutdown timeout and a second. It does not
    /// wait for the reconcile or the runnable that awaits it, if it is one of this manager's: that goes on afterwards
    /// and is not waited for by anybody. Idempotent, and it may be followed by a start at once, also by others: it
    /// waits for the end of this run only. See docs/cancellation.md.
    KCONTROL_DECL awaitable<void> stop();

    KCONTROL_DECL manager_state state() const noexcept;  ///< idle before the first run and after each
    /// Why the last run failed; nothing if it did not.
    KCONTROL_DECL const std::optional<error>& last_error() const noexcept;

    KCONTROL_DECL metrics_registry& metrics() noexcept;  ///< what /metrics shows; a program may add its own

    /// A place where a room above keeps something with this manager, such as its webhook server; empty at first. `key`
    /// is an address that only it uses. What is there goes with the manager, before its cluster does.
    KCONTROL_DECL std::shared_ptr<void>& attachment(const void* key);

    /// Answers /healthz, /readyz and /metrics; anything else with 404.
    KCONTROL_DECL http::response answer(const http::request& req) const;
    /// Answers this path, and every method, beside /metrics: at the same port, behind the same login, and not at that
    /// of probe_handler(). It must be quick. Before run(). Errors: invalid_argument (no path, or one that is taken).
    KCONTROL_DECL result<void> add_metrics_server_handler(const std::string& path, http::response_function answer);
    /// answer() for an http::server, which may outlive the manager: requests get 503 then.
    KCONTROL_DECL http::handler handler() const;
    /// Answers /healthz and /readyz only: for a server of its own, with health_server_options(). Valid as long.
    KCONTROL_DECL http::handler probe_handler() const;

    /// It reads from the caches: kinds that something here watches, such as those of controllers, are answered from
    /// there, and all others by the server; `get_client().live()` asks the server always. docs/cache.md says more.
    ///
    /// With leader election its writes are refused with not_leading while this process does not lead, and none is
    /// waited for beyond that.
    KCONTROL_DECL client& get_client() noexcept;
    /// The client that the manager was made with, which asks the server always; for what is written whether this
    /// process leads or not: definitions at a program's start, Events.
    KCONTROL_DECL client& get_unfenced_client() noexcept;
    /// Who leads; null without leader election. Started and stopped by the manager.
    KCONTROL_DECL const leader_elector* get_elector() const noexcept;
    KCONTROL_DECL environment& env() const noexcept;   ///< the one that it was made with
    KCONTROL_DECL executor get_executor() const;       ///< the one that all of it runs on
    KCONTROL_DECL const logger& log() const noexcept;  ///< the one of its options

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/manager.ipp>
#endif
