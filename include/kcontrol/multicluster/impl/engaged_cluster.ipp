#pragma once

#include <kcontrol/multicluster/cluster_aware.hpp>
#include <kcontrol/multicluster/detail/budgeted_transport.hpp>
#include <kcontrol/multicluster/detail/present_transport.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_controllers.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>
#include <kcontrol/multicluster/impl/engaged_cluster_kinds.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_life.ipp>
#include <kcontrol/multicluster/impl/engaged_cluster_status.ipp>
#include <kcontrol/runtime/make_ready.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

inline void engaged_cluster::impl::connect() {
    const auto from = life.used(), to = life.wanted();
    const std::uint64_t offer = life.offers();
    auto transports = detail::budgeted_transports(env, options->transport(), options->budget(), budgeted, log);
    auto has_moved = std::make_shared<bool>(false);
    auto made = client::connect(env, strand, *to, detail::present_transports(std::move(transports), has_moved), log);
    if (offer != life.offers()) return;  // the transport factory has offered another one
    if (!made) {
        log_refusal(made.error());
        return apply(life.failed(made.error()));
    }
    if (options->client()) made = made->with(*options->client());
    const auto next = life.connected();
    const auto former = std::exchange(moved, std::move(has_moved));
    if (from) {
        rotate(*from, *to, std::move(*made), *former);
    } else {
        begin(std::move(*made));
    }
    log.info(from ? "the cluster's configuration changed" : "the cluster joined", {{"server", to->server_url()}});
    apply(next);
}

inline bool divides(const cluster_part& part, const resource_info& kind) {
    return !part.selector.empty() &&
           std::find(part.undivided.begin(), part.undivided.end(), kind.gvk) == part.undivided.end();
}

inline void engaged_cluster::impl::begin(client first) {
    // The caches outlive the controllers, so they have a scope of their own.
    const auto scopes = [o = options, l = log, only = namespaces, p = part](const resource_info& kind) {
        auto all = o->cache().of(kind, l);
        if (!only.empty()) all = kind_options(all.front(), only).of(kind);
        if (divides(p, kind)) {
            for (auto& one : all) one.shard_selector(p.selector);
        }
        return all;
    };
    informers.emplace(env, strand, guarded(first), scopes, log);
    informers->audit_every(options->cache().audit_period());
    informers->own_writes_deadline(options->cache().own_writes_deadline());
    unfenced = first;
    // What a former leader has to say is still true, and harms nobody.
    recorders.emplace(env, strand, std::move(first), log);
    for (const auto& choice : options->kinds()) make_slot(choice);
    informers->start(caches.token());
    recorders->start();
}

inline void engaged_cluster::impl::rotate(const auth::cluster_config& from, const auth::cluster_config& to, client next,
                                          bool& has_moved) {
    const bool same_server = from.server() == to.server() && from.base_path() == to.base_path();
    has_moved = !same_server;
    client old = informers->get_client();
    recorders->rebuild(next);
    unfenced = next;
    informers->rebuild(guarded(std::move(next)), same_server ? resume_mode::resume : resume_mode::relist);
    old.close();
}

KCONTROL_DECL engaged_cluster::engaged_cluster(environment& env, executor strand, std::string name,
                                               std::shared_ptr<const multicluster_options> options,
                                               std::shared_ptr<detail::cluster_board> board,
                                               std::optional<leader_fence> fence, cluster_labels labels,
                                               std::vector<std::string> namespaces, cluster_part part)
    : impl_(std::make_shared<impl>(env, std::move(strand), std::move(name), std::move(options), std::move(board),
                                   std::move(fence))) {
    impl_->labels = std::move(labels);
    impl_->namespaces = std::move(namespaces);
    impl_->part = std::move(part);
    impl_->owner = this;
    impl_->always.beside = this;
    impl_->always.take = [weak = std::weak_ptr(impl_)](std::shared_ptr<any_controller> a) -> result<void> {
        if (const auto self = weak.lock()) return self->take(std::move(a), run_group::always);
        return error(errc::unavailable, "the cluster is gone");
    };
}

KCONTROL_DECL engaged_cluster::~engaged_cluster() { request_stop(); }

KCONTROL_DECL void engaged_cluster::request_stop() noexcept { impl_->abandoned.request_stop(); }

KCONTROL_DECL void engaged_cluster::engage(const auth::cluster_config& config, std::string warning) {
    impl_->apply(impl_->life.offer(config, std::move(warning)));
}

KCONTROL_DECL void engaged_cluster::refuse(const error& why) {
    impl_->log_refusal(why);
    impl_->apply(impl_->life.refuse(why));
}

KCONTROL_DECL awaitable<void> engaged_cluster::disengage() { return impl::disengage(impl_, {}); }

KCONTROL_DECL awaitable<void> engaged_cluster::disengage_for(user_task caller) {
    return impl::disengage(impl_, std::move(caller));
}

KCONTROL_DECL void engaged_cluster::exclude(const user_task& caller) { impl_->groups.exclude(caller); }

KCONTROL_DECL void engaged_cluster::introduce_to(cluster_aware& work) {
    if (!impl_->engaged()) return;
    const result<void> taken = work.engage(*this);
    if (taken) return;
    impl_->log.error("the cluster can't be worked on", {{"for", work.name()}, {"error", taken.error().what()}});
}

KCONTROL_DECL cluster_status engaged_cluster::status() const { return impl_->current(impl_->reports(false)); }
KCONTROL_DECL std::vector<informer_report> engaged_cluster::informer_reports() const {
    return impl_->all_reports(impl_->reports(false));
}

KCONTROL_DECL const std::string& engaged_cluster::name() const noexcept { return impl_->name; }
KCONTROL_DECL const cluster_labels& engaged_cluster::labels() const noexcept { return impl_->labels; }
KCONTROL_DECL const std::vector<std::string>& engaged_cluster::namespaces() const noexcept { return impl_->namespaces; }
KCONTROL_DECL const cluster_part& engaged_cluster::part() const noexcept { return impl_->part; }
KCONTROL_DECL environment& engaged_cluster::env() const noexcept { return impl_->env; }
KCONTROL_DECL executor engaged_cluster::get_executor() const { return impl_->strand; }
KCONTROL_DECL const logger& engaged_cluster::log() const noexcept { return impl_->log; }
KCONTROL_DECL client& engaged_cluster::get_client() noexcept { return impl_->informers->get_reading_client(); }
KCONTROL_DECL client& engaged_cluster::get_unfenced_client() noexcept { return *impl_->unfenced; }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> engaged_cluster::informers_of(const resource_info& kind) {
    return impl_->informers->of(kind);
}

KCONTROL_DECL std::shared_ptr<cached_source> engaged_cluster::source_of(const resource_info& kind) {
    return impl_->informers->source_of(kind);
}

KCONTROL_DECL result<std::shared_ptr<cached_source>> engaged_cluster::source_with(const resource_info& kind,
                                                                                  const kind_options& how) {
    kind_options limited = how;
    if (!impl_->namespaces.empty()) limited.namespaces(impl_->namespaces);
    if (divides(impl_->part, kind)) limited.shard_selector(impl_->part.selector);
    return impl_->informers->source_with(kind, limited);
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

}  // namespace kcontrol
