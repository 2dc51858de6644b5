#pragma once

#include <kcontrol/controller/options.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/impl/claim_parts.hpp>
#include <kcontrol/scheduling/impl/scheduler_term.hpp>
#include <kcontrol/scheduling/impl/write_answer.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>
#include <variant>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// How long decisions are made before what else is on the executor has its turn.
inline constexpr duration decision_slice = std::chrono::milliseconds(2);

// Until claims are listed again.
inline constexpr duration claims_retry = std::chrono::seconds(1);

// A wait without an end would outlive its context.
inline constexpr duration longest_wait = std::chrono::hours(1);

inline event_actions actions_of(event_type type) {
    switch (type) {
    case event_type::added: return event_actions::add;
    case event_type::deleted: return event_actions::delete_;
    case event_type::updated:
    case event_type::generic: break;
    }
    return event_actions::update_other;
}

inline std::string text_of(const pod_info& pod) {
    return std::string(pod.namespace_()) + "/" + std::string(pod.name());
}

}  // namespace detail

inline trace_sink scheduler::impl::sink() const {
    controller_options with;
    m.adjust(with);
    return guarded_sink(env, m.log(), with.trace());
}

inline scheduler::term::term(std::shared_ptr<impl> s, std::stop_token until)
    : of(std::move(s)),
      env(of->env),
      stop(std::move(until)),
      decider(env, of->metrics, of->policy, [this](const detail::round_report& round) { report(round); }),
      core(decider, scheduler_core_options().queue(scheduling_queue_options().rank(
                        [this](const queued_pod& pod) { return decider.rank_of(pod); }))),
      binder(env, of->m.get_client(), &of->metrics, of->options.plugin_deadline(), of->m.log()),
      limit(of->options.max_concurrent_bindings()),
      groups(env, of->m.get_executor(), of->m.get_client()),
      tasks(env, of->m.get_executor(), of->m.log()),
      trace(of->sink()) {}

inline result<void> scheduler::term::begin(std::vector<profile> profiles) {
    auto known = decider.set_profiles(std::move(profiles), core);
    if (!known) return known;
    subscribe();
    groups.start(stop);
    if (of->claims != nullptr) follow_claims();
    return {};
}

// Pods of profiles that are new come in, and those of profiles that are no more go.
inline void scheduler::term::set_profiles(std::vector<profile> profiles) {
    if (auto known = decider.set_profiles(std::move(profiles), core); !known) {
        of->m.log().error("the new profiles do not count", {{"error", known.error().what()}});
        return;
    }
    const auto at = env.now();
    for (auto& pod : of->m.get_informer<api::core::v1::pod>()->list()) core.set_pod(std::move(pod), at);
    kick();
}

template <class T>
void scheduler::term::subscribe_to(event_consumer handler) {
    subscriptions.push_back(of->m.get_informer<T>()->subscribe(std::move(handler)));
}

template <class T, class Remove>
void scheduler::term::follow_storage(std::string_view kind, Remove remove) {
    const interned_name resource(kind);
    subscribe_to<T>([this, resource, remove](const any_event& any) {
        const event<T> happened(any);
        if (happened.type == event_type::deleted) {
            remove(of->volumes->objects, happened.old_object->metadata);
        } else {
            of->volumes->objects.set(happened.new_object);
        }
        core.event({{resource, detail::actions_of(any.type)}, any.old_object, any.new_object}, env.now());
        kick();
    });
}

template <class T>
void scheduler::term::follow_claims(std::string_view kind) {
    informer_options how;
    how.probe_period(std::chrono::seconds(30));  // without a log: older servers lack these kinds
    auto objects = std::make_shared<informer<T>>(env, of->m.get_executor(), of->m.get_client(), std::move(how));
    const interned_name resource(kind);
    subscriptions.push_back(objects->subscribe([this, resource](const any_event& any) {
        const event<T> happened(any);
        if (happened.type == event_type::deleted) {
            of->claims->objects->remove(*happened.old_object);
        } else {
            of->claims->objects->set(happened.new_object);
        }
        core.event({{resource, detail::actions_of(any.type)}, any.old_object, any.new_object}, env.now());
        kick();
    }));
    objects->start(stop);
    claim_kinds.push_back(std::move(objects));
}

inline void scheduler::term::follow_claims() {
    namespace v1 = api::resource::v1;
    auto& claims = *of->claims;
    claims.objects->clear();
    claims.left.clear();
    claims.unmaking.clear();
    claims.is_complete = false;
    claims.spawn = [this](awaitable<void> task) { tasks.spawn(std::move(task)); };
    claims.written = [this](const object_meta& stored) { binder.written(stored); };
    claims.changed = [this] {
        static const interned_name resource(detail::claim_resource);
        core.event({{resource, event_actions::update_other}, {}, {}}, env.now());
        kick();
    };
    follow_claims<v1::device_class>("resource.k8s.io/DeviceClass");
    follow_claims<v1::resource_slice>("resource.k8s.io/ResourceSlice");
    follow_claims<v1::resource_claim>(detail::claim_resource);
    tasks.spawn(complete_claims(shared_from_this()));
}

// What an informer lists first may be old, and a device that was given since would be given again. So claims are listed
// as they are, at once, or after the informers if that fails: older servers lack these kinds.
inline awaitable<void> scheduler::term::complete_claims(std::shared_ptr<term> self) {
    using claim = api::resource::v1::resource_claim;
    auto& claims = *self->of->claims;
    auto live = self->of->m.get_client().live();
    auto how = list_options().stop(self->stop);
    auto listed = co_await live.list_page<claim>(how);
    bool all = true;
    for (const auto& each : self->claim_kinds) {
        if (all) all = co_await each->wait_synced(self->stop);
    }
    while (all && !listed && !self->stop.stop_requested()) {
        co_await sleep_for(self->env, detail::claims_retry, self->stop);
        listed = co_await live.list_page<claim>(how);
    }
    if (!all || !listed) co_return;
    // Of a newer informer the list may have claims that are deleted, without an event to come.
    if (detail::is_newer_version(listed->resource_version, self->claim_kinds.back()->resource_version())) {
        for (const auto& each : listed->items) {
            if (each != nullptr) claims.objects->set(each);
        }
    }
    claims.is_complete = true;
    claims.changed();
}

inline void scheduler::term::subscribe() {
    namespace v1 = api::core::v1;
    namespace storage = api::storage::v1;
    follow_storage<v1::persistent_volume_claim>(
        "PersistentVolumeClaim",
        [](volume_catalog& from, const object_meta& o) { from.remove_claim(o.namespace_, o.name); });
    follow_storage<v1::persistent_volume>(
        "PersistentVolume", [](volume_catalog& from, const object_meta& o) { from.remove_volume(o.name); });
    follow_storage<storage::storage_class>(
        "storage.k8s.io/StorageClass", [](volume_catalog& from, const object_meta& o) { from.remove_class(o.name); });
    follow_storage<storage::csi_driver>("storage.k8s.io/CSIDriver",
                                        [](volume_catalog& from, const object_meta& o) { from.remove_driver(o.name); });
    follow_storage<storage::csi_storage_capacity>(
        "storage.k8s.io/CSIStorageCapacity",
        [](volume_catalog& from, const object_meta& o) { from.remove_capacity(o.namespace_, o.name); });
    subscribe_to<v1::namespace_>([this](const any_event& any) {
        const event<v1::namespace_> happened(any);
        if (happened.type == event_type::deleted) {
            core.remove_namespace(happened.old_object->metadata.name, env.now());
        } else {
            core.set_namespace(happened.new_object, env.now());
        }
        kick();
    });
    subscribe_to<v1::node>([this](const any_event& any) {
        const event<v1::node> happened(any);
        if (happened.type == event_type::deleted) {
            core.remove_node(happened.old_object->metadata.name, env.now());
        } else {
            core.set_node(happened.new_object, env.now());
        }
        kick();
    });
    groups.subscribe(
        [this](const gang_id& group, const gang_terms& terms) {
            core.set_group(group, terms, env.now());
            kick();
        },
        [this](const gang_id& group) {
            core.remove_group(group, env.now());
            kick();
        });
    subscribe_to<v1::pod>([this](const any_event& any) {
        const event<v1::pod> happened(any);
        const auto& meta = happened.object().metadata;
        const bool is_deleted = happened.type == event_type::deleted;
        binder.seen(meta, is_deleted);
        if (is_deleted) {
            core.remove_pod(meta.namespace_, meta.name, meta.uid, env.now());
        } else {
            core.set_pod(happened.new_object, env.now());
            if (of->claims != nullptr && happened.type == event_type::updated) claims_made(happened);
        }
        kick();
    });
}

// The pod says which claims were made of its templates, after those are there.
inline void scheduler::term::claims_made(const event<api::core::v1::pod>& happened) {
    static const interned_name resource(detail::claim_resource);
    const auto& pod = *happened.new_object;
    if (happened.old_object->status.resource_claim_statuses == pod.status.resource_claim_statuses) return;
    for (const auto& each : pod.status.resource_claim_statuses) {
        auto claim = of->claims->objects->find_claim(pod.metadata.namespace_, each.resource_claim_name);
        if (claim != nullptr) core.event({{resource, event_actions::update_other}, {}, any_object(claim)}, env.now());
    }
}

inline void scheduler::term::kick() {
    has_news = true;
    wake.notify_all();
}

inline awaitable<void> scheduler::term::loop() {
    const executor mine = co_await boost::asio::this_coro::executor;
    while (!stop.stop_requested()) {
        has_news = false;
        core.advance(env.now());
        auto until = env.now() + detail::decision_slice;
        while (!stop.stop_requested() && !limit.is_full(env.now()) && core.step(env.now())) {
            carry_out();
            if (env.now() < until) continue;
            co_await boost::asio::post(mine, boost::asio::use_awaitable);
            until = env.now() + detail::decision_slice;
        }
        carry_out();
        if (has_news) continue;
        auto next = core.next_deadline().value_or(env.now() + detail::longest_wait);
        if (limit.is_full(env.now())) next = std::min(next, *limit.next_change());
        co_await wake.wait(env, stop, next);
    }
}

inline awaitable<void> scheduler::term::end() {
    subscriptions.clear();
    co_await groups.stop();
    for (const auto& each : claim_kinds) co_await each->stop();
    co_await tasks.join();
    if (of->claims == nullptr) co_return;
    of->claims->spawn = nullptr;
    of->claims->changed = nullptr;
    of->claims->written = nullptr;
}

inline void scheduler::term::carry_out() {
    for (effect& one : core.take_effects()) {
        std::visit([this](auto& what) { carry_out(what); }, one);
    }
}

inline void scheduler::term::carry_out(bind_effect& what) {
    const auto counted = limit.begin(env.now());
    tasks.spawn(bind(shared_from_this(), std::move(what.place), counted));
}

inline void scheduler::term::carry_out(condition_effect& what) {
    recorder_of(*what.pod).record(reference_to(what.pod->pod()),
                                  event_note::warning("FailedScheduling", what.message).action("Scheduling"));
    detail::pod_note note;
    note.refused.emplace(what.reason, what.message);
    add_note(what.pod, std::move(note));
}

inline void scheduler::term::carry_out(nominate_effect& what) {
    detail::pod_note note;
    note.nominated = what.node;
    add_note(what.pod, std::move(note));
}

inline void scheduler::term::carry_out(evict_effect& what) { tasks.spawn(evict(shared_from_this(), std::move(what))); }

inline void scheduler::term::carry_out(group_effect& what) {
    tasks.spawn(write_group(shared_from_this(), std::move(what)));
}

inline void scheduler::term::add_note(const std::shared_ptr<const pod_info>& pod, detail::pod_note note) {
    if (notes.add(pod, std::move(note))) tasks.spawn(write_notes(shared_from_this(), std::string(pod->uid())));
}

inline awaitable<void> scheduler::term::write_notes(std::shared_ptr<term> self, std::string uid) {
    while (auto next = self->notes.take(uid)) {
        const auto written = co_await self->binder.write(next->pod, next->note, self->stop);
        if (written || self->stop.stop_requested()) continue;
        if (written.error().code() == condition::not_found || written.error().code() == condition::conflict) continue;
        self->of->m.log().warning("the status of a pod was not written",
                                  {{"pod", detail::text_of(*next->pod)}, {"error", written.error().what()}});
        if (next->note.refused) self->core.condition_failed(*next->pod);
    }
    self->written.notify_all();
}

// The requests of a binding, after those that are on their way for the pod.
inline awaitable<detail::binding_end> scheduler::term::bind(decided_pod place) {
    const std::string uid(place.pod->uid());
    notes.drop(uid);
    // Each write is another version of the pod, and the binding is for one version.
    while (notes.is_busy(uid) && !stop.stop_requested()) {
        co_await written.wait(env, stop, env.now() + detail::longest_wait);
    }
    auto out = co_await binder.bind(std::move(place), stop);
    co_return out;
}

inline awaitable<void> scheduler::term::bind(std::shared_ptr<term> self, decided_pod place,
                                             detail::binding_limit::token counted) {
    const auto pod = place.pod;
    const auto assumed = place.assumed;
    const std::string node = place.node;
    const auto kept = place;
    const auto begun = self->env.now();
    const auto end = co_await self->bind(std::move(place));
    self->limit.end(counted);
    const auto at = self->env.now();
    if (self->trace) {
        trace_span span("binding", self->env.wall_now() - (at - begun), at - begun);
        span.context = trace_context().child(self->env);
        span.fields = {{"pod", detail::text_of(*pod)}, {"node", node}};
        span.error = end.refusal.message;
        self->trace(span);
    }
    switch (end.outcome) {
    case detail::binding_outcome::bound: {
        const auto* const queued = self->core.queue().find(pod->namespace_(), pod->name());
        if (queued != nullptr) self->of->metrics.bound(queued->attempts, at - queued->added);
        const std::string message = "Successfully assigned " + detail::text_of(*pod) + " to " + node;
        self->recorder_of(*pod).record(reference_to(pod->pod()),
                                       event_note::normal("Scheduled", message).action("Binding"));
        self->core.bound(assumed, at);
        break;
    }
    case detail::binding_outcome::refused: self->core.refused(assumed, end.refusal, at); break;
    case detail::binding_outcome::settled:
        self->core.settle(assumed, end.read, at);
        if (end.is_marked) self->core.condition_failed(*pod);
        break;
    case detail::binding_outcome::deserted: {
        auto left = kept;
        self->decider.unreserve(left);
        break;
    }
    case detail::binding_outcome::pending: break;
    }
    self->kick();
}

inline awaitable<void> scheduler::term::evict(std::shared_ptr<term> self, evict_effect what) {
    const auto done = co_await self->binder.evict(what.pod, self->stop);
    if (!done) {
        if (self->stop.stop_requested()) co_return;
        self->of->m.log().warning("a pod was not evicted",
                                  {{"pod", detail::text_of(*what.pod)}, {"error", done.error().what()}});
        self->core.eviction_failed(*what.pod, self->env.now());
        self->kick();
        co_return;
    }
    if (const auto& evicted = self->of->options.evicted()) {
        guarded_calls(self->env, self->of->m.log()).call("the function for evictions", [&] {
            evicted(*what.pod, what.preemptor.get());
        });
    }
    const auto about = reference_to(what.pod->pod());
    if (what.preemptor) {
        const std::string message = "Preempted by pod " + std::string(what.preemptor->uid()) + " on node " + what.node;
        self->recorder_of(*what.preemptor).record(about, event_note::normal("Preempted", message).action("Preempting"));
    } else if (what.gang) {
        const std::string message = "gang " + what.gang->name + " was incomplete for longer than its timeout";
        self->recorder_of(*what.pod).record(about, event_note::warning("GangTimeout", message).action("Evicting"));
    }
}

inline awaitable<void> scheduler::term::write_group(std::shared_ptr<term> self, group_effect what) {
    const auto written = co_await self->groups.write_condition(what.gang, what.is_scheduled, what.message,
                                                               self->of->options.scheduler_name(), self->stop);
    if (written || self->stop.stop_requested() || written.error().code() == condition::not_found) co_return;
    self->of->m.log().warning(
        "the condition of a PodGroup was not written",
        {{"group", what.gang.namespace_ + "/" + what.gang.name}, {"error", written.error().what()}});
}

inline void scheduler::term::report(const detail::round_report& round) {
    if (!trace) return;
    trace_span span("round", env.wall_now() - round.took, round.took);
    span.context = trace_context().child(env);
    span.fields = {{"profile", std::string(round.profile)},
                   {"pod", detail::text_of(*round.first)},
                   {"pods", std::to_string(round.pods)},
                   {"placed", std::to_string(round.placed)}};
    span.error = std::string(round.message);
    trace(span);
}

inline event_recorder& scheduler::term::recorder_of(const pod_info& pod) {
    return *of->m.get_event_recorder(pod.pod().spec.scheduler_name.str());
}

}  // namespace kcontrol::scheduling
