#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/scheduling/detail/volume_binder.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

inline constexpr std::string_view selected_node_key = "volume.kubernetes.io/selected-node";
inline constexpr duration claim_poll = std::chrono::seconds(1);  // kube-scheduler's

// Whether the claim is bound; an error if it will not be. `made_at` is the node that its volume is made for, or empty.
inline result<bool> is_claim_bound(const volume_catalog& in, const api::core::v1::persistent_volume_claim& claim,
                                   std::string_view made_at) {
    const auto& meta = claim.metadata;
    const std::string name = meta.namespace_.str() + "/" + meta.name.str();
    const auto* const now = in.find_claim(meta.namespace_, meta.name);
    if (now == nullptr || now->object->metadata.uid != meta.uid) {
        return error(errc::unavailable, "persistentvolumeclaim " + name + " was deleted");
    }
    if (now->object->metadata.annotations.contains("pv.kubernetes.io/bind-completed")) return true;
    const bool has_version = now->object->metadata.resource_version != meta.resource_version;
    if (!made_at.empty() && has_version && !now->object->metadata.annotations.contains(selected_node_key)) {
        return error(errc::unavailable, "no volume could be made for persistentvolumeclaim " + name);
    }
    return false;
}

KCONTROL_DECL status volume_binder::reserve(state& of_pod, placement&, const node_info& node) {
    of_pod.decided = decide(of_pod, node);
    if (!of_pod.decided.empty()) with_->objects.assume(of_pod.decided, node.name());
    return {};
}

KCONTROL_DECL void volume_binder::unreserve(state& of_pod, const placement&) noexcept {
    if (!of_pod.decided.empty()) with_->objects.forget(std::exchange(of_pod.decided, {}));
}

KCONTROL_DECL awaitable<result<void>> volume_binder::write(const volume_decision& decided, std::string node) {
    auto how = write_options().stop(with_->stop);
    for (const auto& each : decided.bindings) {
        auto edited = *each.volume;
        auto& claim = edited.spec.claim_ref.edit();
        claim.api_version = "v1";
        claim.kind = "PersistentVolumeClaim";
        claim.namespace_ = each.claim->metadata.namespace_;
        claim.name = each.claim->metadata.name;
        claim.uid = each.claim->metadata.uid;
        edited.metadata.annotations["pv.kubernetes.io/bound-by-controller"] = "yes";
        const auto written = co_await with_->writer.patch(*each.volume, edited, how);
        if (!written) co_return written.error();
    }
    for (const auto& each : decided.provisions) {
        auto edited = *each;
        edited.metadata.annotations[std::string(selected_node_key)] = node;
        const auto written = co_await with_->writer.patch(*each, edited, how);
        if (!written) co_return written.error();
    }
    co_return result<void>();
}

KCONTROL_DECL awaitable<status> volume_binder::pre_bind(state& of_pod, placement& of) {
    if (of_pod.decided.empty()) co_return status();
    const auto decided = of_pod.decided;
    const auto with = with_;
    const std::string node = of.node();
    const auto written = co_await write(decided, node);
    if (!written) co_return status::error(written.error().what());
    while (!with->stop.stop_requested()) {
        bool all = true;
        for (const auto& each : decided.bindings) {
            const auto bound = is_claim_bound(with->objects, *each.claim, {});
            if (!bound) co_return status::error(bound.error().message());
            all = all && *bound;
        }
        for (const auto& each : decided.provisions) {
            const auto bound = is_claim_bound(with->objects, *each, node);
            if (!bound) co_return status::error(bound.error().message());
            all = all && *bound;
        }
        if (all) co_return status();
        co_await sleep_for(with->env, claim_poll, with->stop);
    }
    co_return status::error("the scheduler stops");
}

}  // namespace kcontrol::scheduling::detail
