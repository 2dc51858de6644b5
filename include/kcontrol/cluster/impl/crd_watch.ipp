#pragma once

#include <kcontrol/cluster/crd_watch.hpp>
#include <kcontrol/cluster/detail/crd_rule.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <utility>

namespace kcontrol {
namespace detail {

inline const resource_info& crd_metadata() {
    static const resource_info info =
        metadata_resource(group_version_kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
                          "customresourcedefinitions", resource_scope::cluster);
    return info;
}

}  // namespace detail

struct crd_watch::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, client c, probe_function p, logger l)
        : env(e), ex(x), probe(std::move(p)), log(std::move(l)), tasks(env, x, log) {
        // Its own log would tell of a server that everybody tells of; what matters of it is told here.
        definitions.emplace(env, std::move(x), std::move(c), detail::crd_metadata(), informer_options());
    }

    void follow() {
        if (!rule.wanted() || refused) {
            lifetime.reset();
            return;
        }
        if (lifetime && !lifetime->stopped()) return;
        lifetime = std::make_unique<scope>();
        tasks.spawn(run(shared_from_this(), lifetime->token()));
    }

    static awaitable<void> run(std::shared_ptr<impl> self, std::stop_token stop) {
        co_await self->definitions->stop();  // of the run before
        if (stop.stop_requested()) co_return;
        self->hold = self->definitions->subscribe([weak = self->weak_from_this()](const any_event& event) {
            const auto strong = weak.lock();
            if (!strong || event.type == event_type::deleted) return;
            strong->rule.on_change(std::string(event.object().meta().name), strong->env.now());
            strong->changed.notify_all();
        });
        self->hold_status = self->definitions->on_status_change([weak = self->weak_from_this()](const auto&) {
            if (const auto strong = weak.lock()) strong->changed.notify_all();
        });
        self->definitions->start(stop);
        while (!stop.stop_requested()) {
            if (self->is_refused()) co_return;
            for (const std::string& name : self->rule.take_due(self->env.now())) self->probe(name);
            co_await self->changed.wait(self->env, stop, self->rule.next_due());
        }
    }

    bool is_refused() {
        const informer_status now = definitions->status();
        if (now.state != informer_state::forbidden) return false;
        refused = true;
        log.info(
            "CustomResourceDefinitions can't be watched, so kinds that are missing are only asked for now and then",
            {{"reason", now.reason}});
        follow();
        return true;
    }

    environment& env;
    executor ex;
    probe_function probe;
    logger log;
    detail::crd_rule rule;
    std::optional<any_informer> definitions;
    subscription hold, hold_status;
    task_group tasks;
    std::unique_ptr<scope> lifetime;  // while the watch is open
    bool refused = false;
    async_event changed;
};

KCONTROL_DECL crd_watch::crd_watch(environment& env, executor ex, client cl, probe_function probe, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(probe), std::move(log))) {}

KCONTROL_DECL crd_watch::~crd_watch() { impl_->lifetime.reset(); }

KCONTROL_DECL void crd_watch::set_missing(const std::set<std::string>& names) {
    impl_->rule.set_missing(names);
    impl_->changed.notify_all();
    impl_->follow();
}

KCONTROL_DECL void crd_watch::rebuild(client next, resume_mode mode) {
    impl_->definitions->rebuild(std::move(next), mode);
    impl_->refused = false;
    impl_->follow();
}

KCONTROL_DECL awaitable<void> crd_watch::stop() {
    const auto self = impl_;
    self->lifetime.reset();
    co_await self->definitions->stop();
    co_await self->tasks.join();
}

}  // namespace kcontrol
