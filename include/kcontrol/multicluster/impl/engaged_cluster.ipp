#pragma once

#include <kcontrol/multicluster/cluster_aware.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/detail/present_transport.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_budget.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_ending.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_kinds.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_leadership.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_status.ipp>
#include <kcontrol/runtime/make_ready.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline void engaged_cluster::impl::connect(const auth::cluster_config& next) {
    auto transports = detail::budgeted_transports(env, options->transport(), options->budget(), budgeted, log);
    auto has_moved = std::make_shared<bool>(false);
    auto made = client::connect(env, strand, next, detail::present_transports(std::move(transports), has_moved), log);
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
    const auto former = std::exchange(moved, std::move(has_moved));
    if (previous) {
        rotate(*previous, std::move(*made), *former);
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

inline void engaged_cluster::impl::rotate(const auth::cluster_config& previous, client next, bool& has_moved) {
    const bool same_server = previous.server() == config->server() && previous.base_path() == config->base_path();
    has_moved = !same_server;
    client old = informers->get_client();
    recorders->rebuild(next);
    leadership.unfenced = next;
    informers->rebuild(leadership.guarded(std::move(next)), same_server ? resume_mode::resume : resume_mode::relist);
    old.close();
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
    if (!impl_->disengaging && impl_->over_budget && *impl_->over_budget == config) {  // it rests
        impl_->next_config.reset();
        return;
    }
    if (impl_->has(config, warning)) return;  // of a thousand clusters 999 are told nothing new
    ++impl_->offer;
    impl_->warning = std::move(warning);
    if (impl_->disengaging || impl_->ending_over_budget) {
        impl_->next_config = std::make_shared<const auth::cluster_config>(config);
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

KCONTROL_DECL awaitable<void> engaged_cluster::disengage_for(user_task caller) {
    return impl::disengage(impl_, std::move(caller));
}

KCONTROL_DECL void engaged_cluster::exclude(const user_task& caller) {
    impl_->running->exclude(caller);
    impl_->leadership.exclude(caller);
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
            if (!version.info->decodes_same_as(kind)) continue;
            return make_ready<result<void>>(
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
