#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/cluster/informer_metrics.hpp>
#include <kcontrol/manager/detail/readiness_rule.hpp>
#include <kcontrol/manager/impl/concurrent_executor.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/manager/run_groups.hpp>
#include <kcontrol/metrics/exposition.hpp>
#include <kcontrol/metrics/process_metrics.hpp>
#include <kcontrol/record/recorder_set.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/serve/responses.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

struct manager::impl : std::enable_shared_from_this<manager::impl> {
    impl(environment& e, executor x, client c, manager_options o)
        : env(e),
          ex(std::move(x)),
          options(std::move(o)),
          unfenced(std::move(c)),
          elector(make_elector()),
          home(env, ex, elector ? unfenced.guarded(elector->fence().guard()) : unfenced, options.cache(),
               options.log()),
          ready(options.ready_when(), options.ready_grace()),
          metrics(options.log()),
          groups(env, ex, options.log(), elector != nullptr),
          serving(env, ex, options.log(), false) {}

    void add_routes();
    void begin(std::stop_token parent);
    static awaitable<result<void>> run(std::shared_ptr<impl> self, std::stop_token stop);
    static awaitable<void> stop(std::shared_ptr<impl> self);
    using router_member = http::router impl::*;
    static http::handler handle(std::weak_ptr<impl> weak, router_member by);
    static awaitable<void> serve(std::weak_ptr<impl> weak, router_member by, http::server_request asked,
                                 http::responder& out);
    awaitable<result<void>> run_begun(user_task within);
    error refuse_threads();
    awaitable<void> run_controller(std::shared_ptr<any_controller> one, std::stop_token led);
    awaitable<void> run_runnable(runnable one, std::stop_token led);
    awaitable<void> wait_for_caches(std::stop_token stop);
    result<void> take(std::shared_ptr<any_controller> added, run_group group);
    std::unique_ptr<leader_elector> make_elector();
    awaitable<void> lead_work(std::stop_token stop);
    awaitable<void> end_leadership(time_point deadline);
    awaitable<void> watch_readiness(std::stop_token stop);
    awaitable<void> measure_start(std::stop_token stop);
    result<void> check_informers();
    void fail(const error& why);

    environment& env;
    executor ex;
    manager_options options;
    client unfenced;
    std::unique_ptr<leader_elector> elector;  // null: all runs
    home_cluster home;
    detail::readiness_rule ready;
    metrics_registry metrics;
    detail::run_groups groups;   // controllers and runnables
    detail::run_groups serving;  // runnables that begin before the informers and end after them
    detail::always_host always;
    std::vector<named_check> healthz, readyz;
    http::router routes, probes;
    std::set<std::string> extra_paths;  // of add_metrics_server_handler()

    manager_state state = manager_state::idle;
    std::optional<duration> start_took;  // of the present run, or the one before; nothing before the first has synced
    async_event state_changed;
    std::optional<error> last_error;
    std::uint64_t runs = 0;       // begun
    bool gone = false;            // its manager has been destroyed
    std::shared_ptr<scope> term;  // of controllers and runnables of the present run
    std::shared_ptr<scope> serving_term;
    std::map<const void*, std::shared_ptr<void>> attachments;
};

inline void manager::impl::add_routes() {
    for (http::router* to : {&routes, &probes}) {
        add_health_routes(*to, "/healthz", [this] { return healthz; });
        add_health_routes(*to, "/readyz", [this] { return readyz; });
        to->otherwise([](const http::routed_request& asked) { return health_handler(asked, "/healthz", {}); });
    }
    // Every method, as Prometheus' own handler.
    routes.add("", "/metrics", [this](const http::routed_request&) {
        return http::response(200, metrics_content_type, metrics.text());
    });
}

inline void manager::impl::fail(const error& why) {
    if (!last_error) last_error = why;
    if (term) term->stop();
}

inline void manager::impl::begin(std::stop_token parent) {
    state = manager_state::running;
    ++runs;
    last_error.reset();
    term = std::make_shared<scope>(std::move(parent));
    serving_term = std::make_shared<scope>();
}

inline awaitable<void> manager::impl::run_controller(std::shared_ptr<any_controller> one, std::stop_token led) {
    const auto self = shared_from_this();
    const auto of_term = term;
    stop_parents until(of_term->token());
    // At a stop of the manager that comes after the other, so that the first reason is the right one.
    until.add(led, stop_reason::lost_leadership);
    const result<void> outcome = co_await one->run(until);
    // One that is late where leadership was lost has said so, and is no reason to end.
    const bool only_late = led.stop_requested() && !of_term->stopped();
    if (!outcome && !only_late && of_term == term) fail(outcome.error());  // it names the controller
}

inline awaitable<void> manager::impl::run_runnable(runnable one, std::stop_token led) {
    const auto self = shared_from_this();
    const auto of_term = term;
    const bool serves = one.group == run_group::serving;
    std::stop_token stop = serves ? serving_term->token() : of_term->token();
    if (led.stop_possible()) stop = led;
    if (!serves) co_await wait_for_caches(stop);
    if (stop.stop_requested()) co_return;
    result<void> outcome;
    try {
        outcome = co_await one.run(stop);
    } catch (...) {
        outcome = error_of_thrown("it");
    }
    const bool only_stopped = !outcome && outcome.error() == errc::stopped && stop.stop_requested();
    if (!outcome && !only_stopped && of_term == term) fail(outcome.error().with_context(one.name));
}

// One whose server refuses it may stay so for ever, and has said why.
inline bool is_waited_for(const any_informer& one) {
    const informer_status now = one.status();
    return !now.synced && now.state != informer_state::not_installed && now.state != informer_state::forbidden;
}

inline awaitable<void> manager::impl::wait_for_caches(std::stop_token stop) {
    while (!stop.stop_requested()) {
        const auto all = home.informers().all();
        const auto found = std::find_if(all.begin(), all.end(), [](const auto& one) { return is_waited_for(*one); });
        if (found == all.end()) co_return;
        async_event changed;
        const subscription changes = (*found)->on_status_change([&changed](const auto&...) { changed.notify_all(); });
        co_await changed.wait(env, stop);
    }
}

inline std::unique_ptr<leader_elector> manager::impl::make_elector() {
    if (!options.leader_election()) return nullptr;
    leader_callbacks calls;
    calls.on_started_leading([this](std::stop_token stop) { return lead_work(std::move(stop)); });
    calls.on_stopped_leading([this] {
        if (!options.exit_on_loss() || state != manager_state::running || term->stopped()) return;
        fail(error(errc::not_leading, "lease " + to_string(elector->options().lease()) + ": leadership is lost"));
    });
    return std::make_unique<leader_elector>(env, ex, unfenced, *options.leader_election(), calls, options.log());
}

// The elector says how long the end of a term is waited for.
inline awaitable<void> manager::impl::lead_work(std::stop_token stop) {
    const auto self = shared_from_this();
    if (state == manager_state::running) co_await groups.lead(std::move(stop));
}

inline awaitable<void> manager::impl::end_leadership(time_point deadline) {
    const auto self = shared_from_this();
    const bool returned = co_await elector->stop(std::max(deadline - env.now(), duration::zero()));
    static_cast<void>(returned);  // those that have not are counted
}

// Who asks rarely is told, too, how long an informer has not been live.
inline awaitable<void> manager::impl::watch_readiness(std::stop_token stop) {
    const auto self = shared_from_this();
    while (!stop.stop_requested()) {
        ready.observe(home.informer_reports(), env.now());
        co_await sleep_for(env, std::chrono::seconds(1), stop);
    }
}

// From the start until there is no informer that has yet to sync.
inline awaitable<void> manager::impl::measure_start(std::stop_token stop) {
    const auto self = shared_from_this();
    const time_point began = env.now();
    while (!home.informers().has_synced()) {
        for (const auto& one : home.informers().all()) {
            const bool synced = co_await one->wait_synced(stop);
            if (!synced) co_return;  // it was stopped
        }
    }
    start_took = env.now() - began;
}

inline result<void> manager::impl::check_informers() {
    const auto all = home.informer_reports();
    ready.observe(all, env.now());
    std::string why;
    for (const std::string& one : ready.objections(all, env.now())) why += (why.empty() ? "" : "; ") + one;
    if (why.empty()) return {};
    return error(errc::not_synced, why);
}

inline awaitable<result<void>> manager::impl::run_begun(user_task within) {
    const auto self = shared_from_this();
    const std::stop_token stop = term->token();
    if (detail::runs_concurrently(env, ex)) co_return refuse_threads();
    options.log().info("manager started");
    // Without a parent, all three: they stop after the others have returned.
    home.recorders().start();
    serving.start(within);
    co_await boost::asio::post(ex, boost::asio::use_awaitable);  // what serves has begun then
    home.informers().start();
    groups.start(std::move(within));
    if (elector) {
        const auto contends = elector->start();
        if (!contends) fail(contends.error());
    }
    if (options.ready_when() == readiness::live) groups.spawn(watch_readiness(stop));
    groups.spawn(measure_start(stop));
    async_event never;
    co_await never.wait(env, stop);

    state = manager_state::stopping;
    const time_point deadline = env.now() + options.graceful_shutdown_timeout();
    if (elector) groups.spawn(end_leadership(deadline));
    bool drained = co_await groups.join(deadline);
    std::size_t left = groups.awaited();
    // Informers end at once when they are stopped; the second is for a deadline that was used up already.
    const time_point last = std::max(deadline, env.now() + std::chrono::seconds(1));
    const bool informers_stopped = co_await home.informers().stop(last);
    serving_term->stop();
    const bool served = co_await serving.join(last);
    left += serving.awaited();
    if (!served || left != 0) drained = false;
    // Last, for what stops has something to say, too.
    co_await home.recorders().stop(last);
    if (!drained || !informers_stopped) {
        const error late(errc::timeout, std::to_string(left) + " controllers or runnables" +
                                            (informers_stopped ? "" : " and some informers") +
                                            " have not returned in time after the stop");
        options.log().error("manager stopped, but not everything has returned", {{"error", late.what()}});
        if (!last_error) last_error = late;
    } else {
        options.log().info("manager stopped");
    }
    groups.finish();
    serving.finish();
    term.reset();
    state = manager_state::idle;
    state_changed.notify_all();
    if (last_error) co_return *last_error;
    co_return result<void>();
}

// Nothing runs yet: to end here is safe, and to go on is not.
inline error manager::impl::refuse_threads() {
    const error why(
        errc::invalid_argument,
        "several threads run the manager's executor at once, which corrupts memory: give the client and the "
        "manager one strand, boost::asio::make_strand(context), or run the context on one thread; see "
        "docs/threads.md");
    options.log().error("manager does not run", {{"error", why.what()}});
    last_error = why;
    term.reset();
    state = manager_state::idle;
    state_changed.notify_all();
    return why;
}

inline awaitable<result<void>> manager::impl::run(std::shared_ptr<impl> self, std::stop_token stop) {
    if (self->state != manager_state::idle) co_return error(errc::invalid_argument, "the manager is running already");
    const executor mine = co_await boost::asio::this_coro::executor;
    self->begin(std::move(stop));
    result<void> outcome = co_await self->run_begun(user_task::of(mine));
    co_return outcome;
}

// The run that a stop ends is the one that it waits for: another one may begin as soon as that is over.
inline awaitable<void> manager::impl::stop(std::shared_ptr<impl> self) {
    const executor caller = co_await boost::asio::this_coro::executor;
    const std::uint64_t number = self->runs;
    self->groups.exclude(user_task::of(caller));
    self->serving.exclude(user_task::of(caller));
    if (self->term) self->term->stop();
    while (self->state != manager_state::idle && self->runs == number) {
        co_await self->state_changed.wait(self->env, {});
    }
}

inline http::handler manager::impl::handle(std::weak_ptr<impl> weak, router_member by) {
    return [weak = std::move(weak), by](http::server_request asked, http::responder& out) {
        return serve(weak, by, std::move(asked), out);
    };
}

inline awaitable<void> manager::impl::serve(std::weak_ptr<impl> weak, router_member by, http::server_request asked,
                                            http::responder& out) {
    http::response answer = http::error_response(503, "the manager is gone");
    if (const auto self = weak.lock(); self && !self->gone) answer = *(self.get()->*by).answer(std::move(asked));
    const auto sent = co_await out.send(std::move(answer));
    static_cast<void>(sent);  // whoever asked has gone
}

KCONTROL_DECL manager::manager(environment& env, executor ex, client cl, manager_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(options))) {
    // What a former leader has to say is still true, and harms nobody.
    if (impl_->elector) impl_->home.recorders().rebuild(impl_->unfenced);
    impl_->add_routes();
    impl_->always.take = [weak = std::weak_ptr(impl_)](std::shared_ptr<any_controller> added) -> result<void> {
        if (const auto self = weak.lock()) return self->take(std::move(added), run_group::always);
        return error(errc::unavailable, "the manager is gone");
    };
    impl_->always.beside = this;
    impl_->metrics.collect([weak = std::weak_ptr(impl_)](metrics_writer& out) {
        const auto self = weak.lock();
        if (!self) return;
        for (const auto& one : self->groups.controllers()) write_controller_metrics(out, one->name(), one->stats());
        write_request_metrics(out, self->unfenced.requests());
        write_process_metrics(out, self->env);
        if (self->start_took) {
            out.gauge("kcontrol_manager_start_seconds", "Time from the last start until every informer had synced.", {},
                      std::chrono::duration<double>(*self->start_took).count());
        }
        if (self->elector) write_leader_metrics(out, *self->elector);
        write_informer_metrics(out, self->home.name(), self->home.informer_reports(), self->env.wall_now());
        write_read_metrics(out, self->home.name(), self->home.informers().reads());
        write_audit_metrics(out, self->home.name(), self->home.informers().audits());
        self->home.recorders().write_metrics(out, self->home.name());
    });
}

KCONTROL_DECL manager::~manager() {
    impl_->gone = true;
    if (impl_->term) impl_->term->stop();
}

inline result<void> manager::impl::take(std::shared_ptr<any_controller> added, run_group group) {
    if (state == manager_state::stopping) {
        return error(errc::unavailable, "controller " + added->name() + ": the manager is stopping");
    }
    return groups.add(added, group,
                      [this, added](std::stop_token led) { return run_controller(added, std::move(led)); });
}

KCONTROL_DECL void manager::adjust(controller_options& of) const {
    const manager_options& own = impl_->options;
    if (!of.trace() && own.trace()) of.trace(own.trace()).sample_traces(own.sample_traces());
}

KCONTROL_DECL result<void> manager::add(std::shared_ptr<any_controller> added) {
    return impl_->take(std::move(added), run_group::leading);
}

KCONTROL_DECL result<void> manager::add(runnable added) {
    if (impl_->state == manager_state::stopping) {
        return error(errc::unavailable, added.name + ": the manager is stopping");
    }
    const run_group group = added.group;
    detail::run_groups& to = group == run_group::serving ? impl_->serving : impl_->groups;
    to.add(group, [self = impl_.get(), added = std::move(added)](std::stop_token led) {
        return self->run_runnable(added, std::move(led));
    });
    return {};
}

namespace detail {

inline void set_check(std::vector<named_check>& checks, named_check check) {
    const auto same = std::find_if(checks.begin(), checks.end(), [&](const auto& c) { return c.name == check.name; });
    if (same != checks.end()) {
        *same = std::move(check);
    } else {
        checks.push_back(std::move(check));
    }
}

}  // namespace detail

KCONTROL_DECL void manager::add_healthz_check(named_check check) {
    detail::set_check(impl_->healthz, std::move(check));
}
KCONTROL_DECL void manager::add_readyz_check(named_check check) { detail::set_check(impl_->readyz, std::move(check)); }

KCONTROL_DECL void manager::add_healthz_check(std::string name, health_check check) {
    add_healthz_check(named_check(std::move(name), std::move(check)));
}

KCONTROL_DECL void manager::add_readyz_check(std::string name, health_check check) {
    add_readyz_check(named_check(std::move(name), std::move(check)));
}

KCONTROL_DECL named_check manager::informers_synced() const {
    const auto check = [weak = std::weak_ptr(impl_)]() -> result<void> {
        const auto self = weak.lock();
        if (!self) return error(errc::unavailable, "the manager is gone");
        return self->check_informers();
    };
    const auto details = [weak = std::weak_ptr(impl_)] {
        std::vector<std::string> out;
        if (const auto self = weak.lock()) {
            for (const auto& one : self->home.informer_reports()) out.push_back(one.describe());
        }
        return out;
    };
    return named_check("informers_synced", check, details);
}

KCONTROL_DECL awaitable<result<void>> manager::run(std::stop_token stop) { return impl::run(impl_, std::move(stop)); }

KCONTROL_DECL void manager::start(std::stop_token stop) {
    if (impl_->state != manager_state::idle) return;
    impl_->begin(std::move(stop));
    boost::asio::co_spawn(impl_->ex, impl_->run_begun({}), [self = impl_](std::exception_ptr, const result<void>&) {});
}

KCONTROL_DECL awaitable<void> manager::stop() { return impl::stop(impl_); }

KCONTROL_DECL manager_state manager::state() const noexcept { return impl_->state; }
KCONTROL_DECL const std::optional<error>& manager::last_error() const noexcept { return impl_->last_error; }
KCONTROL_DECL metrics_registry& manager::metrics() noexcept { return impl_->metrics; }

KCONTROL_DECL std::shared_ptr<void>& manager::attachment(const void* key) { return impl_->attachments[key]; }
KCONTROL_DECL cluster& manager::get_cluster() noexcept { return impl_->home; }
KCONTROL_DECL std::shared_ptr<event_recorder> manager::get_event_recorder(std::string reporter) {
    return impl_->home.get_event_recorder(std::move(reporter));
}
KCONTROL_DECL client& manager::get_client() noexcept { return impl_->home.get_client(); }
KCONTROL_DECL client& manager::get_unfenced_client() noexcept { return impl_->unfenced; }
KCONTROL_DECL const leader_elector* manager::get_elector() const noexcept { return impl_->elector.get(); }
KCONTROL_DECL controller_host& manager::always() noexcept { return impl_->always; }
KCONTROL_DECL environment& manager::env() const noexcept { return impl_->env; }
KCONTROL_DECL executor manager::get_executor() const { return impl_->ex; }
KCONTROL_DECL const logger& manager::log() const noexcept { return impl_->options.log(); }

KCONTROL_DECL http::response manager::answer(const http::request& req) const {
    return *impl_->routes.answer(http::server_request(req));
}

KCONTROL_DECL result<void> manager::add_metrics_server_handler(const std::string& path,
                                                               http::response_function answer) {
    const auto refuse = [&path](const char* why) {
        return error(errc::invalid_argument, "add_metrics_server_handler(): the path \"" + path + "\" " + why);
    };
    if (!path.starts_with('/')) return refuse("does not begin with '/'");
    for (const char* own : {"/healthz", "/readyz", "/metrics"}) {
        if (path == own || path.starts_with(std::string(own) + "/")) return refuse("is the manager's own");
    }
    if (!impl_->extra_paths.insert(path).second) return refuse("is taken");
    impl_->routes.add("", path, std::move(answer));
    return {};
}

KCONTROL_DECL http::handler manager::handler() const { return impl::handle(impl_, &impl::routes); }
KCONTROL_DECL http::handler manager::probe_handler() const { return impl::handle(impl_, &impl::probes); }

}  // namespace kcontrol
