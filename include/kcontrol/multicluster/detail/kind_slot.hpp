// One kind in one cluster: the informers of its versions and namespaces, seen as one.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/cluster/informer_report.hpp>
#include <kcontrol/multicluster/cluster_status.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// One version of the kind: an informer a namespace.
struct kind_version {
    explicit kind_version(const resource_info& i) : info(&i) {}

    const resource_info* info;
    std::vector<std::shared_ptr<any_informer>> informers;
    std::vector<subscription> subscriptions;

    void start(std::stop_token parent) {
        for (const auto& informer : informers) informer->start(parent);
    }

    awaitable<void> stop() {
        for (const auto& informer : informers) co_await informer->stop();
    }

    // The informers as one: the worst state, the sum of the counts.
    informer_status status() const {
        std::optional<informer_status> all;
        for (const auto& informer : informers) {
            const auto one = informer->status();
            if (!all) {
                all = one;
                continue;
            }
            merge(*all, one);
        }
        return all.value_or(informer_status());
    }

    // The server serves this version, or does not say whether it does. What was synced once may be gone since.
    bool found() const {
        const auto state = status().state;
        return state == informer_state::live || state == informer_state::forbidden;
    }

    // The server does not know this version, and nothing of it is left in the caches.
    bool absent() const {
        const auto now = status();
        return now.state == informer_state::not_installed && now.objects == 0;
    }
};

struct kind_slot {
    std::vector<kind_version> versions;
    std::size_t chosen = 0;
    std::string refusal;                 // why the version tried last is not served; empty while one is
    bool searching = false;              // none was, in a whole round
    bool asked_for = false;              // the definition of a version came or changed: the pause is over
    async_event changed;                 // some informer's status did, or asked_for
    std::function<void()> on_searching;  // called when searching has changed

    void set_searching(bool now) {
        if (std::exchange(searching, now) != now) on_searching();
    }
    bool has(const resource_info& kind) const {
        return std::any_of(versions.begin(), versions.end(), [&](const auto& one) { return one.info == &kind; });
    }
    void probe_now() {
        asked_for = true;
        changed.notify_all();
    }

    kind_status status() const {
        kind_status out;
        out.gvk = versions[chosen].info->gvk;
        out.informer = versions[chosen].status();
        // Between two tries nothing is watched, but what is known stays: the kind is not installed.
        const auto state = out.informer.state;
        if (!refusal.empty() && (state == informer_state::paused || state == informer_state::listing)) {
            out.informer.state = informer_state::not_installed;
            out.informer.reason = refusal;
        }
        for (std::size_t i = 0; i < versions.size(); ++i) {
            if (i != chosen) add_counts(out.informer, versions[i].status());
        }
        return out;
    }
};

// Until `end`, or until a definition is a reason to try at once.
inline awaitable<void> pause_slot(environment& env, kind_slot& slot, time_point end, std::stop_token stop) {
    while (!slot.asked_for && env.now() < end && !stop.stop_requested()) {
        co_await slot.changed.wait(env, stop, end);
    }
    slot.asked_for = false;
}

// Runs the informers of a slot with several versions: the first that the server serves. While none is served they take
// turns, with a pause after each round.
inline awaitable<void> run_slot(environment& env, kind_slot& slot, duration probe_period, std::stop_token stop) {
    while (!stop.stop_requested()) {
        kind_version& version = slot.versions[slot.chosen];
        version.start(stop);
        while (!version.absent()) {
            if (version.found()) {
                slot.refusal.clear();
                slot.set_searching(false);
            }
            const wake reason = co_await slot.changed.wait(env, stop);
            if (reason == wake::stopped) co_return;
        }
        slot.refusal = version.status().reason;
        co_await version.stop();
        const std::size_t next = (slot.chosen + 1) % slot.versions.size();
        if (next == 0) {
            slot.set_searching(true);
            co_await pause_slot(env, slot, env.now() + probe_period, stop);
        }
        slot.chosen = next;
    }
}

}  // namespace kcontrol::detail
