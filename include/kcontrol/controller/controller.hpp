// The controller: takes events from sources, keeps requests in a work queue, and calls a reconciler for each.
#pragma once

#include <kcontrol/client/client_load.hpp>
#include <kcontrol/cluster/source.hpp>
#include <kcontrol/controller/detail/work.hpp>
#include <kcontrol/controller/options.hpp>
#include <kcontrol/controller/predicate.hpp>
#include <kcontrol/controller/stats.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

class client_cache;  // client/client_cache.hpp
class cluster;       // cluster/cluster.hpp

/// syncing: waits for its sources. stopping: waits for running reconciles.
enum class controller_state { idle, syncing, running, stopping };

KCONTROL_DECL std::string_view to_string(controller_state) noexcept;

/// What all controllers have in common, whatever their requests are.
///
/// A reconcile starts only after every source that was there at the start has synced. A request is never reconciled
/// twice at once, not even across a restart. An error or an exception tries again after the request's backoff;
/// errc::terminal does not. Which request is next is said in docs/workqueue.md. What its other functions throw is
/// logged and counted (controller_stats): an event passes a predicate that throws, and is lost where its event handler
/// or map does.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to run() or start(); both trigger the stop tokens of running reconciles.
/// Object lifetime: destruction stops it; what still runs keeps the shared part alive. The environment outlives that.
class any_controller {
public:
    KCONTROL_DECL ~any_controller();
    any_controller(const any_controller&) = delete;
    any_controller& operator=(const any_controller&) = delete;

    /// As logs and metrics have it; of a host no two have the same.
    KCONTROL_DECL const std::string& name() const noexcept;
    /// Those it was made with; a builder has put in what the host says.
    KCONTROL_DECL const controller_options& options() const noexcept;

    /// Runs until `stop` is triggered or stop() is called, and returns once the running reconciles have returned or the
    /// graceful stop timeout has passed. It can be run again then, with an empty queue. Reconciles are told why
    /// (reconcile_context::stop_reason) what their parents say; a plain std::stop_token says `stopped`.
    /// Errors: timeout (a source did not sync; reconciles did not return), callback_failed (a source threw),
    /// invalid_argument (it runs already).
    KCONTROL_DECL awaitable<result<void>> run(stop_parents stop = {});

    /// run() in the background. last_error() gives what it returned. Does nothing while it runs.
    KCONTROL_DECL void start(stop_parents stop = {});

    /// Ends the run and waits for its end, in bounded time: for running reconciles the graceful stop timeout, beside
    /// the one that awaits stop(), if it is one of them. True if all those have returned. Idempotent, and it may be
    /// followed by a start at once, also by others: it waits for the end of this run only. See docs/cancellation.md.
    KCONTROL_DECL awaitable<bool> stop();

    KCONTROL_DECL controller_state state() const noexcept;  ///< idle before the first run and after each
    /// Why the last run failed; nothing if it did not.
    KCONTROL_DECL const std::optional<error>& last_error() const noexcept;
    KCONTROL_DECL controller_stats stats() const;  ///< of all runs so far; a copy

    /// Where hold_back() learns how busy the server is: asked before requests are taken. A builder says the client of
    /// its host; without one it is told by observe_throttled() and observe_write() only.
    KCONTROL_DECL void watch_load(std::function<client_load()> load);
    /// Where read_own_writes() learns what a reconcile has written: asked before each. A builder says that of its
    /// host's client; without one nothing is waited for.
    KCONTROL_DECL void watch_writes(std::function<std::shared_ptr<client_cache>()> cache);
    /// The cluster that reconciles are told of (reconcile_context::get_cluster). It outlives the controller's runs.
    KCONTROL_DECL void work_on(cluster& of);
    /// The server answered 429 to a request, or answered a write after `latency`, of a client that it does not watch.
    KCONTROL_DECL void observe_throttled();
    /// See observe_throttled(); without hold_back() it does nothing.
    KCONTROL_DECL void observe_write(duration latency);

    /// Removes a source that watch() added.
    KCONTROL_DECL void unwatch(std::uint64_t watch_id);

protected:
    /// `work` is the queue and its reconciler, with the type of the requests hidden.
    KCONTROL_DECL any_controller(environment& env, executor ex, std::string name,
                                 std::shared_ptr<detail::work_queue> work, controller_options options);
    /// Takes an event, and the kind of its object.
    using kind_event_handler = std::function<void(const any_event&, std::string_view)>;
    /// Takes the last state of an object that was deleted, or that another one of its name has replaced.
    using deletion_handler = std::function<void(const any_object&)>;
    /// See basic_controller::watch() and watch_primary(); without `deleted` deletions are not reported.
    KCONTROL_DECL std::uint64_t watch_any(std::shared_ptr<event_source> source, std::vector<predicate> predicates,
                                          kind_event_handler handle, deletion_handler deleted = nullptr);

private:
    struct impl;
    class reconcile_daemons;
    std::shared_ptr<impl> impl_;
};

/// A controller over one type of request.
template <class Request>
class basic_controller : public any_controller {
public:
    /// `name` appears in logs and metrics.
    basic_controller(environment& env, executor ex, std::string name, reconciler<Request> reconcile,
                     controller_options options = {});

    /// Adds a source; `handler` maps its events to requests, and events that a predicate refuses are dropped. While
    /// the controller runs the source is subscribed at once; its sync is not waited for then. Returns an id for
    /// unwatch().
    std::uint64_t watch(std::shared_ptr<event_source> source, event_handler<Request> handler);
    /// The same with predicates.
    std::uint64_t watch(std::shared_ptr<event_source> source, event_handler<Request> handler,
                        std::vector<predicate> predicates);

    /// The same of the source of the objects that the requests are about: `request_of` says which. When one of them
    /// goes, whatever the predicates say of it, its daemons are stopped, and its reconcile, if the options say
    /// cancel_on_delete. Without one daemons run until the controller stops.
    std::uint64_t watch_primary(std::shared_ptr<event_source> source, event_handler<Request> handler,
                                std::vector<predicate> predicates,
                                std::function<Request(const any_object&)> request_of);

    /// What each request is completed by before anything is done with it, and what sees it then, before it is queued,
    /// and takes those that belong elsewhere (true). Neither throws. Builders say the first of engaged clusters, and a
    /// multicluster_controller both. Set before the first request.
    void complete_with(std::function<void(Request&)> complete) { intake_->complete_with(std::move(complete)); }
    /// See complete_with(); `route` returns true for a request that it has taken.
    void route_with(std::function<bool(const Request&, const add_options&)> route) {
        intake_->route_with(std::move(route));
    }

    /// Enqueues a request by hand. Dropped while the controller does not run.
    void enqueue(Request req);
    void enqueue(Request req, const add_options& how);  ///< the same; `how` says when, and how urgent it is

private:
    using sides = detail::work_sides<Request>;
    basic_controller(environment& env, executor ex, std::string name, sides work, controller_options options);
    kind_event_handler handle_with(event_handler<Request> handler) const;

    std::shared_ptr<detail::work_intake<Request>> intake_;
};

template <class Request>
basic_controller<Request>::basic_controller(environment& env, executor ex, std::string name,
                                            reconciler<Request> reconcile, controller_options options)
    : basic_controller(env, std::move(ex), std::move(name),
                       detail::make_work<Request>(env, std::move(reconcile), options), options) {}

template <class Request>
basic_controller<Request>::basic_controller(environment& env, executor ex, std::string name, sides work,
                                            controller_options options)
    : any_controller(env, std::move(ex), std::move(name), std::move(work.queue), std::move(options)),
      intake_(std::move(work.intake)) {}

template <class Request>
std::uint64_t basic_controller<Request>::watch(std::shared_ptr<event_source> source, event_handler<Request> handler,
                                               std::vector<predicate> predicates) {
    return watch_any(std::move(source), std::move(predicates), handle_with(std::move(handler)));
}

template <class Request>
any_controller::kind_event_handler basic_controller<Request>::handle_with(event_handler<Request> handler) const {
    return [intake = intake_, handler = std::move(handler)](const any_event& e, std::string_view kind) {
        detail::event_sink<Request> sink(*intake, e, kind);
        handler(e, sink);
    };
}

template <class Request>
std::uint64_t basic_controller<Request>::watch_primary(std::shared_ptr<event_source> source,
                                                       event_handler<Request> handler,
                                                       std::vector<predicate> predicates,
                                                       std::function<Request(const any_object&)> request_of) {
    if constexpr (std::derived_from<Request, namespaced_name>) {
        if (const auto cached = std::dynamic_pointer_cast<cached_source>(source)) {
            intake_->look_up_with([cached](const Request& req) { return cached->get(req); });
        }
    }
    auto gone = [intake = intake_, request_of = std::move(request_of)](const any_object& last) {
        intake->gone(request_of(last));
    };
    return watch_any(std::move(source), std::move(predicates), handle_with(std::move(handler)), std::move(gone));
}

template <class Request>
std::uint64_t basic_controller<Request>::watch(std::shared_ptr<event_source> source, event_handler<Request> handler) {
    return watch(std::move(source), std::move(handler), {});
}

template <class Request>
void basic_controller<Request>::enqueue(Request req) {
    enqueue(std::move(req), add_options());
}

template <class Request>
void basic_controller<Request>::enqueue(Request req, const add_options& how) {
    intake_->add(req, how, cause(cause_type::by_hand));
}

/// The controller of one cluster's objects.
using controller = basic_controller<request>;

#ifdef KCONTROL_SEPARATE_COMPILATION
extern template class basic_controller<request>;
#endif

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/controller.ipp>
#endif
