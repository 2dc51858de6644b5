#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/cluster/informer_set.hpp>
#include <kcontrol/multicluster/detail/kind_slot.hpp>
#include <kcontrol/multicluster/engaged_cluster.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <optional>
#include <utility>

namespace kcontrol {

struct engaged_cluster::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor s, std::string n, std::shared_ptr<const multicluster_options> o)
        : env(e),
          strand(std::move(s)),
          name(std::move(n)),
          options(std::move(o)),
          log(options->log().with("cluster", name)),
          tasks(env, strand, log),
          running(env, strand, log) {}

    bool engaged() const { return informers && !lifetime.stopped(); }

    void connect(const auth::cluster_config& next) {
        auto made = client::connect(env, strand, next, options->transport(), log);
        if (!made) {
            refuse(made.error());
            return;
        }
        ++generation;
        failure.reset();
        const auto previous = std::exchange(config, next);
        if (previous) {
            rotate(*previous, std::move(*made));
        } else {
            begin(std::move(*made));
        }
        log.info(previous ? "the cluster's configuration changed" : "the cluster joined",
                 {{"server", next.server_url()}});
    }

    void begin(client first) {
        // The caches outlive the controllers, so they have a scope of their own.
        const auto scopes = [o = options, l = log](const resource_info&) { return scopes_of(*o, l); };
        informers.emplace(env, strand, std::move(first), scopes, log);
        for (const auto& choice : options->kinds()) make_slot(choice);
        informers->start(caches.token());
        tasks.spawn(publish_counts(shared_from_this(), lifetime.token()));
    }

    void rotate(const auth::cluster_config& previous, client next) {
        const bool same_server = previous.server() == config->server() && previous.base_path() == config->base_path();
        client old = informers->get_client();
        informers->rebuild(std::move(next), same_server ? resume_mode::resume : resume_mode::relist);
        old.close();
    }

    // The new configuration is unusable. What runs with the old one goes on.
    void refuse(const error& why) {
        failure = why;
        log.error("the cluster can't be reached", {{"error", why.what()}});
    }

    static std::vector<informer_options> scopes_of(const multicluster_options& options, const logger& log) {
        auto namespaces = options.namespaces();
        if (namespaces.empty()) namespaces.emplace_back();
        std::vector<informer_options> out;
        for (const auto& ns : namespaces) {
            out.push_back(options.informers());
            out.back().in_namespace(ns).log(log);
        }
        return out;
    }

    // A kind of one version runs with the other informers, and is shared with controllers. Of several versions only the
    // served one runs, which the slot decides.
    void make_slot(const kind_choice& choice) {
        const auto slot = std::make_shared<detail::kind_slot>();
        const bool only_one = choice.versions.size() == 1;
        for (const auto* kind : choice.versions) {
            detail::kind_version version(*kind);
            version.informers = only_one ? informers->of(*kind) : informers->make_unshared(*kind);
            for (const auto& one : version.informers) observe(slot, version, one);
            slot->versions.push_back(std::move(version));
        }
        slots.push_back(slot);
        if (!only_one) tasks.spawn(run_kind(shared_from_this(), slot, lifetime.token()));
    }

    void observe(const std::shared_ptr<detail::kind_slot>& slot, detail::kind_version& version,
                 const std::shared_ptr<any_informer>& one) {
        version.subscriptions.push_back(one->subscribe([this, info = version.info](const any_event& event) {
            // What was on its way when the cluster was destroyed is not delivered any more.
            if (options->on_event() && !lifetime.stopped()) options->on_event()(name, *info, event);
        }));
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

    static awaitable<void> run_kind(std::shared_ptr<impl> self, std::shared_ptr<detail::kind_slot> slot,
                                    std::stop_token stop) {
        co_await detail::run_slot(self->env, *slot, self->options->informers().probe_period(), stop);
    }

    static awaitable<void> publish_counts(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            co_await sleep_for(self->env, std::chrono::seconds(1), stop);
            self->publish();
        }
    }

    // A cluster that can't be reached for long makes the sync time out. That is tried again, as everything here is.
    static awaitable<void> run_controller(std::shared_ptr<impl> self, std::shared_ptr<any_controller> one,
                                          std::stop_token stop) {
        while (!stop.stop_requested()) {
            const result<void> outcome = co_await one->run(stop);
            if (outcome || outcome.error() != errc::timeout) co_return;
            co_await sleep_for(self->env, self->options->informers().probe_period(), stop);
        }
    }

    cluster_status current() const {
        cluster_status out;
        out.name = name;
        out.generation = generation;
        if (config) out.server = config->server_url();
        for (const auto& slot : slots) out.kinds.push_back(slot->status());
        for (const auto& kind : out.kinds) {
            const auto& heard = kind.informer.last_event;
            if (heard && (!out.last_sync || *heard > *out.last_sync)) out.last_sync = heard;
        }
        std::tie(out.state, out.reason) = derive_cluster_state(out.kinds);
        if (failure && !config) {
            out.state = cluster_state::failed;
            out.reason = failure->what();
        } else if (out.reason.empty()) {
            out.reason = failure ? failure->what() : warning;
        }
        return out;
    }

    // Signs of life are published now and then: a quiet cluster must not look like a dead one.
    static bool heard_since(const std::optional<wall_time>& then, const std::optional<wall_time>& now) {
        return now && (!then || *now - *then >= std::chrono::seconds(10));
    }

    void publish() {
        if (lifetime.stopped()) return;
        auto now = current();
        if (published && same_but_for_time(*published, now) && !heard_since(published->last_sync, now.last_sync))
            return;
        published = std::move(now);
        if (options->on_status()) options->on_status()(*published);
    }

    environment& env;
    executor strand;
    std::string name;
    std::shared_ptr<const multicluster_options> options;
    logger log;
    task_group tasks;                            // of slots and of the status
    task_group running;                          // controllers
    scope lifetime;                              // of slots, status and controllers
    scope caches;                                // of informers; it ends after the controllers have returned
    std::optional<auth::cluster_config> config;  // in use
    std::optional<informer_set> informers;       // nothing before the first usable configuration
    std::optional<error> failure;                // of the configuration offered last
    std::string warning;
    std::uint64_t generation = 0;
    std::vector<std::shared_ptr<detail::kind_slot>> slots;
    controller_list controllers;
    std::optional<cluster_status> published;
};

KCONTROL_DECL engaged_cluster::engaged_cluster(environment& env, executor strand, std::string name,
                                               std::shared_ptr<const multicluster_options> options)
    : impl_(std::make_shared<impl>(env, std::move(strand), std::move(name), std::move(options))) {}

KCONTROL_DECL engaged_cluster::~engaged_cluster() {
    impl_->lifetime.stop();
    impl_->caches.stop();
}

KCONTROL_DECL void engaged_cluster::engage(const auth::cluster_config& config, std::string warning) {
    const bool before = impl_->engaged();
    impl_->warning = std::move(warning);
    if (!impl_->config || !(*impl_->config == config)) {
        impl_->connect(config);
    } else {
        impl_->failure.reset();
    }
    const auto& notify = impl_->options->on_engage();
    if (!before && impl_->engaged() && notify) notify(*this);
    impl_->publish();
}

KCONTROL_DECL void engaged_cluster::refuse(const error& why) {
    impl_->refuse(why);
    impl_->publish();
}

KCONTROL_DECL awaitable<void> engaged_cluster::disengage() {
    const auto self = impl_;
    const auto& notify = self->options->on_disengage();
    if (self->engaged() && notify) notify(*this);
    self->lifetime.stop();
    for (const auto& slot : self->slots) {
        for (auto& version : slot->versions) version.subscriptions.clear();
    }
    const time_point deadline = self->env.now() + self->options->graceful_shutdown_timeout();
    const bool drained = co_await self->running.join(deadline);
    if (!drained) {
        self->log.error("the cluster disengages, but not every controller has returned",
                        {{"controllers", std::to_string(self->running.running())}});
    }
    self->caches.stop();
    if (self->informers) co_await self->informers->stop();
    co_await self->tasks.join();
    self->slots.clear();
    if (self->informers) {
        self->informers->clear();
        self->informers->get_client().close();
    }
}

KCONTROL_DECL cluster_status engaged_cluster::status() const { return impl_->current(); }

KCONTROL_DECL const std::string& engaged_cluster::name() const noexcept { return impl_->name; }
KCONTROL_DECL environment& engaged_cluster::env() const noexcept { return impl_->env; }
KCONTROL_DECL executor engaged_cluster::get_executor() const { return impl_->strand; }
KCONTROL_DECL const logger& engaged_cluster::log() const noexcept { return impl_->log; }
KCONTROL_DECL client& engaged_cluster::get_client() noexcept { return impl_->informers->get_client(); }

KCONTROL_DECL std::vector<std::shared_ptr<any_informer>> engaged_cluster::informers_of(const resource_info& kind) {
    return impl_->informers->of(kind);
}

KCONTROL_DECL std::shared_ptr<cached_source> engaged_cluster::source_of(const resource_info& kind) {
    return impl_->informers->source_of(kind);
}

KCONTROL_DECL result<void> engaged_cluster::add(std::shared_ptr<any_controller> added) {
    if (!impl_->engaged()) {
        return error(errc::unavailable,
                     "controller " + added->name() + ": the cluster " + impl_->name + " is not engaged");
    }
    result<void> taken = impl_->controllers.add(added);
    if (!taken) return taken;
    impl_->running.spawn(impl::run_controller(impl_, std::move(added), impl_->lifetime.token()));
    return {};
}

}  // namespace kcontrol
