#pragma once

#include <kcontrol/controller/impl/controller_reconcile.ipp>
#include <kcontrol/controller/impl/controller_run.ipp>
#include <kcontrol/controller/impl/controller_sources.ipp>
#include <kcontrol/controller/impl/controller_stats.ipp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string_view to_string(controller_state state) noexcept {
    switch (state) {
    case controller_state::idle: return "idle";
    case controller_state::syncing: return "syncing";
    case controller_state::running: return "running";
    case controller_state::stopping: return "stopping";
    }
    return "unknown";
}

KCONTROL_DECL any_controller::any_controller(environment& env, executor ex, std::string name,
                                             std::shared_ptr<detail::work_queue> work, controller_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(name), std::move(work), std::move(options))) {}

KCONTROL_DECL any_controller::~any_controller() {
    if (impl_->term) impl_->term->stop();
}

KCONTROL_DECL const std::string& any_controller::name() const noexcept { return impl_->name; }
KCONTROL_DECL const controller_options& any_controller::options() const noexcept { return impl_->options; }

KCONTROL_DECL awaitable<result<void>> any_controller::run(stop_parents stop) {
    return impl::run(impl_, std::move(stop));
}

KCONTROL_DECL void any_controller::start(stop_parents stop) {
    if (impl_->state != controller_state::idle) return;
    boost::asio::co_spawn(impl_->ex, impl_->run_begun(impl_->begin(stop, {})),
                          [self = impl_](std::exception_ptr, const result<void>&) {});
}

KCONTROL_DECL awaitable<bool> any_controller::stop() { return impl::stop(impl_); }

KCONTROL_DECL controller_state any_controller::state() const noexcept { return impl_->state; }
KCONTROL_DECL const std::optional<error>& any_controller::last_error() const noexcept { return impl_->last_error; }

KCONTROL_DECL controller_stats any_controller::stats() const {
    controller_stats out = impl_->stats;
    impl_->add_queue_stats(out.by_priority);
    out.queue_depth = impl_->work->size();
    out.queue_delayed = impl_->work->delayed();
    out.queue_adds = impl_->work->counters().adds;
    out.queue_retries = impl_->work->counters().retries;
    out.daemons = impl_->daemons->alive;
    out.daemon_starts = impl_->daemons->started;
    out.daemon_failures = impl_->daemons->failures;
    out.daemons_refused = impl_->daemons->refused;
    out.callback_exceptions = impl_->calls.thrown();
    out.last_callback_exception = impl_->calls.last_thrown();
    return out;
}

KCONTROL_DECL std::uint64_t any_controller::watch_any(std::shared_ptr<event_source> source,
                                                      std::vector<predicate> predicates, kind_event_handler handle,
                                                      deletion_handler gone) {
    const std::uint64_t id = ++impl_->last_watch_id;
    std::string kind;
    impl_->calls.call("kind() of a source", [&] { kind = source->kind(); });
    auto& added = impl_->sources[id];
    added.source = std::move(source);
    added.deliver = [weak = std::weak_ptr(impl_), predicates = std::move(predicates), handle = std::move(handle),
                     gone = std::move(gone), kind = std::move(kind)](const any_event& event) {
        const auto self = weak.lock();
        if (!self) return;
        if (gone) self->tell_gone(event, gone);
        self->deliver(event, predicates, handle, kind);
    };
    const bool runs = impl_->state == controller_state::syncing || impl_->state == controller_state::running;
    // A source that throws is told and counted, and subscribed anew at the next start.
    if (runs) static_cast<void>(impl_->subscribe(id));
    return id;
}

KCONTROL_DECL void any_controller::watch_load(std::function<client_load()> load) { impl_->load = std::move(load); }

KCONTROL_DECL void any_controller::watch_writes(std::function<std::shared_ptr<client_cache>()> cache) {
    impl_->cache = std::move(cache);
}

KCONTROL_DECL void any_controller::work_on(cluster& of) { impl_->of_cluster = &of; }

KCONTROL_DECL void any_controller::observe_throttled() {
    if (impl_->pressure) impl_->pressure->observe_throttled(impl_->env.now());
}

KCONTROL_DECL void any_controller::observe_write(duration latency) {
    if (impl_->pressure) impl_->pressure->observe_write(latency, impl_->env.now());
}

KCONTROL_DECL void any_controller::unwatch(std::uint64_t watch_id) { impl_->sources.erase(watch_id); }

}  // namespace kcontrol
