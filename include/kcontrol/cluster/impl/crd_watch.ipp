#pragma once

#include <kcontrol/cluster/crd_watch.hpp>
#include <kcontrol/cluster/detail/crd_head.hpp>
#include <kcontrol/cluster/detail/crd_rule.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
struct crd_watch::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, client c, probe_function p, logger l)
        : env(e), ex(x), probe(std::move(p)), log(std::move(l)), tasks(env, x, log) {
        // Its own log would tell of a server that everybody tells of; what matters of it is told here.
        definitions.emplace(env, std::move(x), std::move(c), detail::crd_heads(), informer_options());
    }

    bool wanted() const noexcept { return rule.wanted() && !refused; }

    void follow() {
        changed.notify_all();
        if (working || !wanted()) return;
        working = true;
        tasks.spawn(work(shared_from_this()));
    }

    void close() {
        ++closings;
        rule.set_missing({});
        changed.notify_all();
    }

    // One at a time: a watch is opened again when the one before has ended.
    static awaitable<void> work(std::shared_ptr<impl> self) {
        while (self->wanted()) {
            const std::uint64_t begun_at = self->closings;
            self->open();
            while (self->wanted() && self->closings == begun_at) {
                self->probe_due(begun_at);
                co_await self->changed.wait(self->env, {}, self->rule.next_due());
                self->give_up_if_refused();
            }
            self->held.clear();
            co_await self->definitions->stop();
            ++self->ended;
            self->changed.notify_all();
        }
        self->working = false;
        self->changed.notify_all();
    }

    void open() {
        held.push_back(definitions->subscribe([weak = weak_from_this()](const any_event& event) {
            const auto self = weak.lock();
            if (!self || event.type == event_type::deleted) return;
            self->rule.on_change(std::string(event.object().meta().name), self->env.now());
            self->changed.notify_all();
        }));
        held.push_back(definitions->on_status_change([weak = weak_from_this()](const auto&) {
            if (const auto self = weak.lock()) self->changed.notify_all();
        }));
        definitions->start();
    }

    void probe_due(std::uint64_t begun_at) {
        for (const std::string& name : rule.take_due(env.now())) {
            if (closings == begun_at) probe(name);
        }
    }

    void give_up_if_refused() {
        const informer_status now = definitions->status();
        if (refused || now.state != informer_state::forbidden) return;
        refused = true;
        log.info(
            "CustomResourceDefinitions can't be watched, so kinds that are missing are only asked for now and then",
            {{"reason", now.reason}});
    }

    static awaitable<void> stop(std::shared_ptr<impl> self) {
        self->close();
        const std::uint64_t before = self->ended;
        while (self->working && self->ended == before) co_await self->changed.wait(self->env, {});
    }

    environment& env;
    executor ex;
    probe_function probe;
    logger log;
    detail::crd_rule rule;
    std::optional<any_informer> definitions;
    std::vector<subscription> held;
    task_group tasks;
    bool working = false;        // work() runs
    bool refused = false;        // nothing is watched until rebuild()
    std::uint64_t closings = 0;  // counts calls of close()
    std::uint64_t ended = 0;     // counts watches that have
    async_event changed;         // something of all that
};

KCONTROL_DECL crd_watch::crd_watch(environment& env, executor ex, client cl, probe_function probe, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(probe), std::move(log))) {}

KCONTROL_DECL crd_watch::~crd_watch() { impl_->close(); }

KCONTROL_DECL void crd_watch::set_missing(const std::set<std::string>& names) {
    impl_->rule.set_missing(names);
    impl_->follow();
}

KCONTROL_DECL void crd_watch::rebuild(client next, resume_mode mode) {
    impl_->definitions->rebuild(std::move(next), mode);
    impl_->refused = false;
    impl_->follow();
}

KCONTROL_DECL awaitable<void> crd_watch::stop() { return impl::stop(impl_); }

}  // namespace kcontrol
