#pragma once

#include <kcontrol/multicluster/cluster_aware.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_budget.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_leadership.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_status.ipp>
#include <kcontrol/runtime/decided.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace kcontrol {

inline void engaged_cluster::impl::connect(const auth::cluster_config& next) {
    auto transports = detail::budgeted_transports(env, options->transport(), options->budget(), budgeted, log);
    auto made = client::connect(env, strand, next, transports, log);
    if (!made) {
        refuse(made.error());
        // A factory that threw may do better the next time; a configuration that can't be used stays so.
        if (made.error() == errc::callback_failed) {
            tasks.spawn(connect_again(shared_from_this(), next, offer, lifetime.token()));
        }
        return;
    }
    if (options->client()) made = made->with(*options->client());
    pause.reset();
    ++generation;
    accept();
    const auto previous = std::exchange(config, next);
    if (previous) {
        rotate(*previous, std::move(*made));
    } else {
        begin(std::move(*made));
    }
    log.info(previous ? "the cluster's configuration changed" : "the cluster joined", {{"server", next.server_url()}});
}

inline void engaged_cluster::impl::engage_with(const auth::cluster_config& next) {
    const bool before = engaged();
    if (!config || !(*config == next)) {
        connect(next);
    } else {
        accept();
    }
    if (!before && engaged() && !introduce()) tasks.spawn(introduce_again(shared_from_this(), lifetime.token()));
    publish();
}

inline bool engaged_cluster::impl::has(const auth::cluster_config& offered, const std::string& with_warning) const {
    const bool ends = disengaging || ending_over_budget;
    return !ends && engaged() && *config == offered && !failure && warning == with_warning;
}

inline awaitable<void> engaged_cluster::impl::connect_again(std::shared_ptr<impl> self, auth::cluster_config next,
                                                            std::uint64_t offered, std::stop_token stop) {
    co_await sleep_for(self->env, self->pause.next(self->env.now(), random_unit(self->env)), stop);
    if (!stop.stop_requested() && offered == self->offer) self->engage_with(next);
}

inline void engaged_cluster::impl::begin(client first) {
    // The caches outlive the controllers, so they have a scope of their own.
    const auto scopes = [o = options, l = log, only = namespaces](const resource_info& kind) {
        auto all = o->cache().of(kind, l);
        return only.empty() ? all : kind_options(all.front(), only).of(kind);
    };
    informers.emplace(env, strand, leadership.guarded(first), scopes, log);
    informers->audit_every(options->cache().audit_period());
    leadership.unfenced = first;
    // What a former leader has to say is still true, and harms nobody.
    recorders.emplace(env, strand, std::move(first), log);
    for (const auto& choice : options->kinds()) make_slot(choice);
    informers->start(caches.token());
    recorders->start();
}

inline void engaged_cluster::impl::rotate(const auth::cluster_config& previous, client next) {
    const bool same_server = previous.server() == config->server() && previous.base_path() == config->base_path();
    client old = informers->get_client();
    recorders->rebuild(next);
    leadership.unfenced = next;
    informers->rebuild(leadership.guarded(std::move(next)), same_server ? resume_mode::resume : resume_mode::relist);
    old.close();
}

inline void engaged_cluster::impl::make_slot(const kind_choice& choice) {
    const auto slot = std::make_shared<detail::kind_slot>();
    const bool only_one = choice.versions.size() == 1;
    for (const auto* kind : choice.versions) {
        detail::kind_version version(*kind);
        version.informers = only_one ? informers->of(*kind) : informers->make_unshared(*kind);
        for (const auto& one : version.informers) observe(slot, version, one);
        slot->versions.push_back(std::move(version));
    }
    slot->on_searching = [this] { look_for_kinds(); };
    slots.push_back(slot);
    if (!only_one) tasks.spawn(run_kind(shared_from_this(), slot, lifetime.token()));
}

inline void engaged_cluster::impl::observe(const std::shared_ptr<detail::kind_slot>& slot,
                                           detail::kind_version& version, const std::shared_ptr<any_informer>& one) {
    const auto hear = [this, info = version.info](const any_event& event) {
        // What was on its way when the cluster was destroyed is not delivered any more.
        if (!options->on_event() || lifetime.stopped()) return;
        calls.call_or_exhaust(
            "on_event()", [&] { options->on_event()(name, *info, event); },
            [&] { return info->gvk.kind + " " + to_string(event.object().key()); });
    };
    version.subscriptions.push_back(one->subscribe(hear, handler_options().every_version().named("on_event")));
    // Who shares the informer may hold it longer than this cluster lives.
    version.subscriptions.push_back(
        one->on_status_change([weak = weak_from_this(), weak_slot = std::weak_ptr(slot)](const informer_status&) {
            const auto self = weak.lock();
            const auto changed = weak_slot.lock();
            if (!self || !changed) return;
            changed->changed.notify_all();
            self->publish();
        }));
}

inline void engaged_cluster::impl::look_for_kinds() {
    std::vector<const resource_info*> missing;
    for (const auto& slot : slots) {
        if (!slot->searching) continue;
        for (const auto& version : slot->versions) missing.push_back(version.info);
    }
    informers->look_for(std::move(missing), [this](const resource_info& kind) {
        for (const auto& slot : slots) {
            if (slot->has(kind)) slot->probe_now();
        }
    });
}

inline awaitable<void> engaged_cluster::impl::run_kind(std::shared_ptr<impl> self,
                                                       std::shared_ptr<detail::kind_slot> slot, std::stop_token stop) {
    co_await detail::run_slot(self->env, *slot, self->options->informers().probe_period(), stop);
}

inline awaitable<void> engaged_cluster::impl::run_controller(std::shared_ptr<impl> self,
                                                             std::shared_ptr<any_controller> one,
                                                             stop_parents parents) {
    const reasoned_stop until(parents);
    while (!until.stopped()) {
        const result<void> outcome = co_await one->run(until.token());
        const bool again = !outcome && (outcome.error() == errc::timeout || outcome.error() == errc::callback_failed);
        if (!again) co_return;
        co_await sleep_for(self->env, self->options->informers().probe_period(), until.token().token());
    }
}

inline backoff_policy engaged_cluster::impl::retry_backoff() {
    return backoff_policy().initial(std::chrono::seconds(1)).cap(std::chrono::minutes(1)).jitter(0.1);
}

inline bool engaged_cluster::impl::introduce() {
    engage_failure.reset();
    if (!options->on_engage() || owner == nullptr) return true;
    if (calls.call("on_engage()", [&] { options->on_engage()(*owner); })) return true;
    engage_failure = calls.last_thrown();
    return false;
}

inline awaitable<void> engaged_cluster::impl::introduce_again(std::shared_ptr<impl> self, std::stop_token stop) {
    backoff pause(retry_backoff());
    while (!stop.stop_requested()) {
        self->built->stop();
        const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
        co_await join_controllers(self, deadline);
        self->forget_controllers();
        co_await sleep_for(self->env, pause.next(self->env.now(), random_unit(self->env)), stop);
        if (stop.stop_requested()) co_return;
        self->built->rebuild();
        const bool engaged = self->introduce();
        self->publish();
        if (engaged) co_return;
    }
}

inline awaitable<void> engaged_cluster::impl::end_term(std::shared_ptr<impl> self) {
    self->lifetime.stop();
    for (const auto& slot : self->slots) {
        for (auto& version : slot->versions) version.subscriptions.clear();
    }
    const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
    const bool drained = co_await join_controllers(self, deadline);
    if (!drained) {
        const std::size_t led = self->leadership.tasks ? self->leadership.tasks->awaited() : 0;
        self->log.error("the cluster disengages, but not every controller has returned",
                        {{"controllers", std::to_string(self->running->awaited() + led)}});
    }
    self->caches.stop();
    if (self->informers) co_await self->informers->stop();
    if (self->recorders) {
        const time_point last = self->abandoned ? self->env.now() : deadline;
        co_await self->recorders->stop(last);
    }
    co_await self->tasks.join();
    self->slots.clear();
    if (self->informers) {
        self->informers->clear();
        self->informers->get_client().close();
    }
    self->forget_controllers();
    self->running = std::make_shared<task_group>(self->env, self->strand, self->log);
    self->config.reset();
    self->failure.reset();
    self->engage_failure.reset();
    self->published.reset();
    self->counting = false;
    if (self->abandoned) co_return;
    self->lifetime.rebuild();
    self->caches.rebuild();
    self->begin_term();
}

inline awaitable<void> engaged_cluster::impl::disengage(std::shared_ptr<impl> self, guest_task caller) {
    self->running->leave_out(caller);
    self->leadership.leave_out(caller);
    ++self->leaving;
    while (self->ending_over_budget) co_await self->rested.wait(self->env, {});
    --self->leaving;
    self->over_budget.reset();
    if (self->disengaging) {
        const std::uint64_t number = self->disengagements;
        while (self->disengagements == number) co_await self->disengaged.wait(self->env, {});
        co_return;
    }
    self->disengaging = true;
    const auto& notify = self->options->on_disengage();
    if (self->engaged() && notify && self->owner != nullptr && !self->abandoned) {
        self->calls.call("on_disengage()", [&] { notify(*self->owner); });
    }
    co_await end_term(self);
    const auto& on_removed = self->options->on_removed();
    if (!std::exchange(self->removed, true) && !self->abandoned && on_removed) {
        self->calls.call("on_removed()", [&] { on_removed(self->name); });
    }
    self->disengaging = false;
    ++self->disengagements;
    self->disengaged.notify_all();
    const auto next = std::exchange(self->next_config, std::nullopt);
    if (next && self->owner != nullptr && !self->abandoned) self->owner->engage(*next, self->warning);
}

inline awaitable<void> engaged_cluster::impl::disengage_by_caller(std::shared_ptr<impl> self) {
    const executor mine = co_await boost::asio::this_coro::executor;
    co_await disengage(self, guest_task::of(mine));
}

KCONTROL_DECL engaged_cluster::engaged_cluster(environment& env, executor strand, std::string name,
                                               std::shared_ptr<const multicluster_options> options,
                                               std::shared_ptr<detail::cluster_board> board,
                                               std::optional<leader_fence> fence, cluster_labels labels,
                                               std::vector<std::string> namespaces)
    : impl_(std::make_shared<impl>(env, std::move(strand), std::move(name), std::move(options), std::move(board),
                                   std::move(fence))) {
    impl_->labels = std::move(labels);
    impl_->namespaces = std::move(namespaces);
    impl_->owner = this;
    impl_->leadership.always.of = this;
    impl_->leadership.always.take = [weak = std::weak_ptr(impl_)](std::shared_ptr<any_controller> a) -> result<void> {
        if (const auto self = weak.lock()) return self->take(std::move(a), true);
        return error(errc::unavailable, "the cluster is gone");
    };
}

KCONTROL_DECL engaged_cluster::~engaged_cluster() {
    impl_->owner = nullptr;
    request_stop();
}

KCONTROL_DECL void engaged_cluster::request_stop() noexcept {
    impl_->abandoned = true;
    impl_->lifetime.stop();
    impl_->caches.stop();
}

KCONTROL_DECL void engaged_cluster::engage(const auth::cluster_config& config, std::string warning) {
    if (!impl_->disengaging && impl_->over_budget == config) {  // it rests
        impl_->next_config.reset();
        return;
    }
    if (impl_->has(config, warning)) return;  // of a thousand clusters 999 are told nothing new
    ++impl_->offer;
    impl_->warning = std::move(warning);
    if (impl_->disengaging || impl_->ending_over_budget) {
        impl_->next_config = config;
        return;
    }
    impl_->over_budget.reset();
    impl_->removed = false;
    impl_->watch_over_status();
    impl_->engage_with(config);
}

KCONTROL_DECL void engaged_cluster::refuse(const error& why) {
    ++impl_->offer;
    impl_->next_config.reset();
    if (!impl_->ending_over_budget) impl_->over_budget.reset();
    impl_->refuse(why);
    if (impl_->disengaging) return;
    impl_->removed = false;
    impl_->watch_over_status();
    impl_->publish();
}

KCONTROL_DECL awaitable<void> engaged_cluster::disengage() { return impl::disengage_by_caller(impl_); }

KCONTROL_DECL awaitable<void> engaged_cluster::disengage_for(guest_task caller) {
    return impl::disengage(impl_, std::move(caller));
}

KCONTROL_DECL void engaged_cluster::leave_out(const guest_task& caller) {
    impl_->running->leave_out(caller);
    impl_->leadership.leave_out(caller);
}

KCONTROL_DECL void engaged_cluster::introduce_to(cluster_aware& work) {
    if (!impl_->engaged() || impl_->built->stopped()) return;
    const result<void> told = work.engage(*this);
    if (!told)
        impl_->log.error("the cluster can't be worked on", {{"for", work.name()}, {"error", told.error().what()}});
}

KCONTROL_DECL cluster_status engaged_cluster::status() const { return impl_->current(impl_->reports(false)); }
KCONTROL_DECL std::vector<informer_report> engaged_cluster::informer_reports() const {
    return impl_->all_reports(impl_->reports(false));
}

KCONTROL_DECL const std::string& engaged_cluster::name() const noexcept { return impl_->name; }
KCONTROL_DECL const cluster_labels& engaged_cluster::labels() const noexcept { return impl_->labels; }
KCONTROL_DECL const std::vector<std::string>& engaged_cluster::namespaces() const noexcept { return impl_->namespaces; }
KCONTROL_DECL environment& engaged_cluster::env() const noexcept { return impl_->env; }
KCONTROL_DECL executor engaged_cluster::get_executor() const { return impl_->strand; }
KCONTROL_DECL const logger& engaged_cluster::log() const noexcept { return impl_->log; }
KCONTROL_DECL client& engaged_cluster::get_client() noexcept { return impl_->informers->get_reading_client(); }
KCONTROL_DECL client& engaged_cluster::get_unfenced_client() noexcept { return *impl_->leadership.unfenced; }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> engaged_cluster::informers_of(const resource_info& kind) {
    return impl_->informers->of(kind);
}

KCONTROL_DECL std::shared_ptr<cached_source> engaged_cluster::source_of(const resource_info& kind) {
    return impl_->informers->source_of(kind);
}

KCONTROL_DECL result<std::shared_ptr<cached_source>> engaged_cluster::source_with(const resource_info& kind,
                                                                                  const kind_options& how) {
    if (impl_->namespaces.empty()) return impl_->informers->source_with(kind, how);
    kind_options limited = how;
    return impl_->informers->source_with(kind, limited.namespaces(impl_->namespaces));
}

KCONTROL_DECL awaitable<result<void>> engaged_cluster::remove_informers_of(const resource_info& kind) {
    for (const auto& slot : impl_->slots) {
        for (const auto& version : slot->versions) {
            if (!version.info->reads_like(kind)) continue;
            return decided<result<void>>(
                error(errc::invalid_argument, "the informer of " + kind.gvk.kind + " (" + kind.gvk.api_version() +
                                                  ") can't be removed: it is one of multicluster_options::kinds()"));
        }
    }
    if (!impl_->informers) return cluster::remove_informers_of(kind);
    return impl_->informers->remove(kind);
}

KCONTROL_DECL std::shared_ptr<event_recorder> engaged_cluster::recorder_of(const event_recorder_options& options) {
    return impl_->recorders->of(options);
}

KCONTROL_DECL result<void> engaged_cluster::add(std::shared_ptr<any_controller> added) {
    return impl_->take(std::move(added), false);
}

}  // namespace kcontrol
