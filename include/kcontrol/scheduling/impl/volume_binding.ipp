#pragma once

#include <kcontrol/scheduling/impl/matching_volume.hpp>
#include <kcontrol/scheduling/impl/storage_objects.hpp>
#include <kcontrol/scheduling/node_scores.hpp>
#include <kcontrol/scheduling/volume_binding.hpp>

#include <algorithm>
#include <map>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::string quoted_name(std::string_view name) { return "\"" + std::string(name) + "\""; }

inline status claim_refusal(std::string_view text) { return status::unresolvable(interned_name(text)); }

// How much of the storage of each class a pod would take on a node.
class storage_use {
public:
    // Several volumes of a class add up.
    void add_volume(std::string_view of_class, std::int64_t requested, std::int64_t capacity) {
        auto& to = classes_[of_class];
        to.requested += requested;
        to.capacity += capacity;
    }
    // What is made is taken from one capacity.
    void add_provision(std::string_view of_class, std::int64_t requested, std::int64_t capacity) {
        auto& to = classes_[of_class];
        to.requested += requested;
        to.capacity = capacity;
    }
    // The less it would take, the better: the mean over the classes, rounded half up.
    std::int64_t score() const {
        std::int64_t sum = 0;
        for (const auto& [name, one] : classes_) {
            if (one.capacity > 0 && one.requested <= one.capacity)
                sum += max_node_score - percentage(one.requested, one.capacity);
        }
        const auto count = static_cast<std::int64_t>(classes_.size());
        return count == 0 ? 0 : (2 * sum + count) / (2 * count);
    }

private:
    struct amounts {
        std::int64_t requested = 0, capacity = 0;  // bytes
    };
    std::map<std::string_view, amounts> classes_;
};

}  // namespace detail

KCONTROL_DECL std::vector<event_kind> volume_binding::events() {
    return {{interned_name("PersistentVolumeClaim"), event_actions::add | event_actions::update_other},
            {interned_name("PersistentVolume"), event_actions::add | event_actions::update_other},
            {interned_name("Node"), event_actions::add | event_actions::update_node_label},
            {interned_name("storage.k8s.io/StorageClass"), event_actions::add | event_actions::update_other},
            {interned_name("storage.k8s.io/CSIDriver"), event_actions::add | event_actions::update_other},
            {interned_name("storage.k8s.io/CSIStorageCapacity"), event_actions::add | event_actions::update_other}};
}

KCONTROL_DECL status volume_binding::take_claim(state& of_pod, const pod_info& pod,
                                                const api::core::v1::volume& volume) const {
    const bool is_ephemeral = !volume.persistent_volume_claim;
    const auto& meta = pod.pod().metadata;
    const std::string claim_name =
        is_ephemeral ? meta.name.str() + "-" + volume.name.str() : volume.persistent_volume_claim->claim_name.str();
    const std::string title = "persistentvolumeclaim " + detail::quoted_name(claim_name);
    const auto* const known = objects_->find_claim(meta.namespace_, claim_name);
    if (known == nullptr) {
        return detail::claim_refusal(is_ephemeral ? "waiting for ephemeral volume controller to create the " + title
                                                  : title + " not found");
    }
    const auto& claim = *known->object;
    if (claim.status.phase == "Lost") {
        return detail::claim_refusal(title + " bound to non-existent persistentvolume " +
                                     detail::quoted_name(claim.spec.volume_name));
    }
    if (claim.metadata.deletion_timestamp) return detail::claim_refusal(title + " is being deleted");
    if (is_ephemeral) {
        const auto* const owner = controller_of(claim.metadata);
        if (owner == nullptr || owner->uid != meta.uid) {
            const std::string of = meta.namespace_.str() + "/";
            return detail::claim_refusal("PVC " + of + claim_name + " was not created for pod " + of + meta.name.str() +
                                         " (pod is not owner)");
        }
    }
    const bool is_bound =
        !claim.spec.volume_name.empty() && claim.metadata.annotations.contains("pv.kubernetes.io/bind-completed");
    if (is_bound) {
        of_pod.bound_.push_back(known);
        return status();
    }
    const auto* const of_class = objects_->find_class(storage_class_of(claim));
    const bool waits = of_class != nullptr && of_class->volume_binding_mode == "WaitForFirstConsumer";
    if (!waits || !claim.spec.volume_name.empty()) return status::unresolvable(unbound_);
    of_pod.unbound_.push_back({known, detail::storage_in(claim.spec.resources.requests)});
    return status();
}

KCONTROL_DECL status volume_binding::pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const {
    of_pod.bound_.clear();
    of_pod.unbound_.clear();
    bool has_claims = false;
    status unbound;
    for (const auto& volume : pod.pod().spec.volumes) {
        if (!volume.persistent_volume_claim && !volume.ephemeral) continue;
        has_claims = true;
        auto refused = take_claim(of_pod, pod, volume);
        if (refused.ok()) continue;
        // What is wrong with a claim is said before what it waits for.
        if (refused.reason(0) != unbound_) return refused;
        unbound = std::move(refused);
    }
    if (!has_claims) return status::skip();
    std::stable_sort(of_pod.unbound_.begin(), of_pod.unbound_.end(),
                     [](const auto& a, const auto& b) { return a.size < b.size; });
    return unbound;
}

KCONTROL_DECL status volume_binding::find(const state& of_pod, const node_info& node, volume_decision& to) const {
    status refused(status_code::unschedulable_and_unresolvable);
    std::vector<const state::unbound*> to_provide;
    bool found = true;
    for (const auto& one : of_pod.unbound_) {
        const auto& selected = one.claim->selected_node;
        if (selected.empty()) continue;
        found = found && selected == node.name();
        to_provide.push_back(&one);
    }
    for (const auto& one : of_pod.unbound_) {
        if (!found || !one.claim->selected_node.empty()) continue;
        const auto& claim = *one.claim->object;
        const auto* const volume =
            detail::matching_volume(claim, one.size, node).in(objects_->volumes_of(storage_class_of(claim)), to);
        if (volume == nullptr) {
            to_provide.push_back(&one);
        } else {
            to.bindings.push_back({one.claim->object, volume->object});
        }
    }
    bool has_space = true;
    for (const auto* one : to_provide) {
        if (!found || !has_space) break;
        const auto* const of_class = objects_->find_class(storage_class_of(*one->claim->object));
        found = of_class != nullptr && detail::provides_for(*of_class, node);
        has_space = !found || !detail::is_limited(*objects_, *of_class, one->size) ||
                    detail::capacity_for(*objects_, *of_class, one->size, node) != nullptr;
        to.provisions.push_back(one->claim->object);
    }
    if (!found) refused.add_reason(no_volume_);
    if (!has_space) refused.add_reason(no_space_);
    return refused;
}

KCONTROL_DECL status volume_binding::filter(const state& of_pod, const pod_info&, const node_info& node) const {
    status refused(status_code::unschedulable_and_unresolvable);
    bool exist = true;
    for (const auto* one : of_pod.bound_) {
        const auto* const volume = objects_->find_volume(one->object->spec.volume_name);
        exist = volume != nullptr;
        if (!exist) break;
        if (detail::is_reachable(*volume, node)) continue;
        refused.add_reason(unreachable_);
        break;
    }
    if (!of_pod.unbound_.empty()) {
        volume_decision unused;
        const status of_unbound = find(of_pod, node, unused);
        for (std::size_t i = 0; i < of_unbound.reason_count(); ++i) refused.add_reason(of_unbound.reason(i));
    }
    if (!exist) refused.add_reason(no_such_volume_);
    if (refused.reason_count() == 0) return status();
    return refused;
}

KCONTROL_DECL status volume_binding::pre_score(state& of_pod, const pod_info&, const snapshot&,
                                               std::span<const node_info* const>) const {
    return of_pod.unbound_.empty() ? status::skip() : status();
}

KCONTROL_DECL std::int64_t volume_binding::score(const state& of_pod, const pod_info&, const node_info& node) const {
    volume_decision chosen;
    find(of_pod, node, chosen);
    detail::storage_use use;
    for (const auto& one : chosen.bindings) {
        use.add_volume(storage_class_of(*one.volume), detail::storage_in(one.claim->spec.resources.requests).value(),
                       detail::storage_in(one.volume->spec.capacity).value());
    }
    // Where a volume of the cluster is taken, kube-scheduler looks at those alone.
    if (!chosen.bindings.empty()) return use.score();
    for (const auto& one : chosen.provisions) {
        const auto size = detail::storage_in(one->spec.resources.requests);
        const auto* const of_class = objects_->find_class(storage_class_of(*one));
        if (of_class == nullptr || !detail::is_limited(*objects_, *of_class, size)) continue;
        const auto* const left = detail::capacity_for(*objects_, *of_class, size, node);
        if (left == nullptr) continue;
        use.add_provision(of_class->metadata.name, size.value(), left->total.value());
    }
    return use.score();
}

KCONTROL_DECL volume_decision volume_binding::decide(const state& of_pod, const node_info& node) const {
    volume_decision out;
    find(of_pod, node, out);
    return out;
}

}  // namespace kcontrol::scheduling
