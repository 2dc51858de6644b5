// The kinds that an engaged cluster watches by itself, each with its versions.
#pragma once

#include <kcontrol/multicluster/impl/engaged_cluster_impl.hpp>

namespace kcontrol::inline v0_1 {

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
    informers->probe_kinds(std::move(missing), [this](const resource_info& kind) {
        for (const auto& slot : slots) {
            if (slot->has(kind)) slot->probe_now();
        }
    });
}

inline awaitable<void> engaged_cluster::impl::run_kind(std::shared_ptr<impl> self,
                                                       std::shared_ptr<detail::kind_slot> slot, std::stop_token stop) {
    co_await detail::run_slot(self->env, *slot, self->options->informers().probe_period(), stop);
}

}  // namespace kcontrol
