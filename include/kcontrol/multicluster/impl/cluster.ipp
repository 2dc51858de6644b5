#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/multicluster/cluster.hpp>
#include <kcontrol/multicluster/detail/kind_slot.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <optional>
#include <utility>

namespace kcontrol {

struct cluster::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor s, std::string n, std::shared_ptr<const cluster_options> o)
        : env(e),
          strand(std::move(s)),
          name(std::move(n)),
          options(std::move(o)),
          log(options->log.with("cluster", name)),
          tasks(env, strand, log) {}

    void connect(const auth::cluster_config& next) {
        auto made = client::connect(env, strand, next, options->transport, log);
        if (!made) {
            refuse(made.error());
            return;
        }
        ++generation;
        failure.reset();
        const auto previous = std::exchange(config, next);
        auto old_client = std::exchange(cl, *made);
        if (!previous) {
            make_slots();
        } else {
            const bool same_server = previous->server() == next.server() && previous->base_path() == next.base_path();
            const auto mode = same_server ? resume_mode::resume : resume_mode::relist;
            for (auto& slot : slots) {
                for (auto& version : slot->versions) version.rebuild(*cl, mode);
            }
        }
        if (old_client) old_client->close();
        log.info(previous ? "the cluster's configuration changed" : "the cluster joined",
                 {{"server", next.server_url()}});
    }

    // The new configuration is unusable. What runs with the old one goes on.
    void refuse(const error& why) {
        failure = why;
        log.error("the cluster can't be reached", {{"error", why.what()}});
    }

    void make_slots() {
        for (const auto& choice : options->kinds) {
            auto slot = std::make_unique<detail::kind_slot>();
            for (const auto* info : choice.versions) add_version(*slot, *info);
            slots.push_back(std::move(slot));
            tasks.spawn(run_kind(shared_from_this(), *slots.back(), lifetime.token()));
        }
        tasks.spawn(publish_counts(shared_from_this(), lifetime.token()));
    }

    void add_version(detail::kind_slot& slot, const resource_info& info) {
        detail::kind_version version(info);
        auto namespaces = options->namespaces;
        if (namespaces.empty()) namespaces.emplace_back();
        for (const auto& ns : namespaces) {
            auto settings = options->informer;
            settings.in_namespace(ns).log(log.with("kind", info.gvk.kind));
            auto informer = std::make_unique<any_informer>(env, strand, *cl, info, settings);
            version.subscriptions.push_back(informer->subscribe([this, &info](const any_event& event) {
                // What was on its way when the cluster was destroyed is told to nobody.
                if (options->on_event && !lifetime.stopped()) options->on_event(name, info, event);
            }));
            informer->on_status_change([this, &slot](const informer_status&) {
                slot.changed.notify_all();
                publish();
            });
            version.informers.push_back(std::move(informer));
        }
        slot.versions.push_back(std::move(version));
    }

    static awaitable<void> run_kind(std::shared_ptr<impl> self, detail::kind_slot& slot, std::stop_token stop) {
        co_await detail::run_slot(self->env, slot, self->options->informer.probe_period(), stop);
    }

    static awaitable<void> publish_counts(std::shared_ptr<impl> self, std::stop_token stop) {
        while (!stop.stop_requested()) {
            co_await sleep_for(self->env, std::chrono::seconds(1), stop);
            self->publish();
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

    // Signs of life are told now and then: a quiet cluster must not look like a dead one.
    static bool heard_since(const std::optional<wall_time>& then, const std::optional<wall_time>& now) {
        return now && (!then || *now - *then >= std::chrono::seconds(10));
    }

    void publish() {
        if (lifetime.stopped()) return;
        auto now = current();
        if (told && same_but_for_time(*told, now) && !heard_since(told->last_sync, now.last_sync)) return;
        told = std::move(now);
        if (options->on_status) options->on_status(*told);
    }

    environment& env;
    executor strand;
    std::string name;
    std::shared_ptr<const cluster_options> options;
    logger log;
    task_group tasks;
    scope lifetime;
    std::optional<auth::cluster_config> config;  // in use
    std::optional<client> cl;
    std::optional<error> failure;  // of the configuration offered last
    std::string warning;
    std::uint64_t generation = 0;
    std::vector<std::unique_ptr<detail::kind_slot>> slots;
    std::optional<cluster_status> told;
};

KCONTROL_DECL cluster::cluster(environment& env, executor strand, std::string name,
                               std::shared_ptr<const cluster_options> options)
    : impl_(std::make_shared<impl>(env, std::move(strand), std::move(name), std::move(options))) {}

KCONTROL_DECL cluster::~cluster() { impl_->lifetime.stop(); }

KCONTROL_DECL void cluster::apply(const auth::cluster_config& config, std::string warning) {
    impl_->warning = std::move(warning);
    if (!impl_->config || !(*impl_->config == config)) {
        impl_->connect(config);
    } else {
        impl_->failure.reset();
    }
    impl_->publish();
}

KCONTROL_DECL void cluster::fail(const error& why) {
    impl_->refuse(why);
    impl_->publish();
}

KCONTROL_DECL awaitable<void> cluster::stop() {
    const auto self = impl_;
    self->lifetime.stop();
    for (auto& slot : self->slots) {
        for (auto& version : slot->versions) {
            version.subscriptions.clear();
            co_await version.stop();
        }
    }
    co_await self->tasks.join();
    self->slots.clear();
    if (self->cl) self->cl->close();
}

KCONTROL_DECL cluster_status cluster::status() const { return impl_->current(); }

}  // namespace kcontrol
