// Which volume an unbound claim gets, and whether one can be provided.
#pragma once

#include <kcontrol/scheduling/impl/storage_objects.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

inline bool is_reachable(const volume_catalog::known_volume& volume, const node_info& node) {
    return !volume.nodes || volume.nodes->selects(node.node().metadata);
}

inline bool is_same_mode(const text& a, const text& b) {
    constexpr std::string_view usual = "Filesystem";
    return (a.empty() ? usual : a.view()) == (b.empty() ? usual : b.view());
}

// Whether the volume is promised to the claim.
inline bool is_of_claim(const volume_catalog::known_volume& volume, const volume_catalog::claim& claim) {
    if (!volume.assumed_claim.empty()) return volume.assumed_claim == claim_key(claim);
    const auto& ref = volume.object->spec.claim_ref;
    return ref && ref->name == claim.metadata.name && ref->namespace_ == claim.metadata.namespace_ &&
           (ref->uid.empty() || ref->uid == claim.metadata.uid);
}

inline bool is_taken(const volume_catalog::known_volume& volume) {
    return !volume.assumed_claim.empty() || volume.object->spec.claim_ref.present();
}

// The smallest volume that satisfies a claim on a node.
class matching_volume {
public:
    matching_volume(const volume_catalog::claim& claim, const quantity& size, const node_info& node)
        : claim_(claim), size_(size), node_(node) {
        if (!claim.spec.selector) return;
        auto made = label_selector::of(claim.spec.selector);
        selector_ = made ? std::move(*made) : label_selector::nothing();
    }

    /// Null: there is none.
    const volume_catalog::known_volume* in(const std::vector<const volume_catalog::known_volume*>& volumes,
                                           const volume_decision& chosen) const {
        const volume_catalog::known_volume* smallest = nullptr;
        for (const auto* one : volumes) {
            const bool promised = is_of_claim(*one, claim_);
            if ((is_taken(*one) && !promised) || !is_suitable(*one) || is_chosen(*one, chosen)) continue;
            const bool reachable = is_reachable(*one, node_);
            if (promised) return reachable ? one : nullptr;
            if (!reachable || !is_available(*one)) continue;
            if (smallest == nullptr || one->capacity < smallest->capacity) smallest = one;
        }
        return smallest;
    }

private:
    bool is_suitable(const volume_catalog::known_volume& one) const {
        const auto& spec = one.object->spec;
        return one.capacity >= size_ && is_same_mode(claim_.spec.volume_mode, spec.volume_mode) &&
               claim_.spec.volume_attributes_class_name == spec.volume_attributes_class_name &&
               !one.object->metadata.deletion_timestamp;
    }
    bool is_available(const volume_catalog::known_volume& one) const {
        const auto& there = one.object->spec.access_modes;
        const auto has = [&](const text& mode) { return std::find(there.begin(), there.end(), mode) != there.end(); };
        const auto& wanted = claim_.spec.access_modes;
        return one.object->status.phase == "Available" && selector_.selects(one.object->metadata) &&
               std::all_of(wanted.begin(), wanted.end(), has);
    }
    static bool is_chosen(const volume_catalog::known_volume& one, const volume_decision& chosen) {
        return std::any_of(chosen.bindings.begin(), chosen.bindings.end(),
                           [&](const auto& binding) { return binding.volume == one.object; });
    }

    const volume_catalog::claim& claim_;
    const quantity& size_;
    const node_info& node_;
    label_selector selector_;  // empty: any volume
};

inline bool is_in_topology(const api::core::v1::topology_selector_term& term, const node_info& node) {
    const auto& all = term.match_label_expressions;
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& one) {
        const auto* const value = node.label(one.key);
        return value != nullptr && std::find(one.values.begin(), one.values.end(), *value) != one.values.end();
    });
}

// Whether a class can provide volumes for a node.
inline bool provides_for(const volume_catalog::storage_class& from, const node_info& node) {
    if (from.provisioner.empty() || from.provisioner == "kubernetes.io/no-provisioner") return false;
    const auto& terms = from.allowed_topologies;
    return terms.empty() ||
           std::any_of(terms.begin(), terms.end(), [&](const auto& term) { return is_in_topology(term, node); });
}

// Whether the driver of a class says how much it has left. Others count as if they had enough.
inline bool is_limited(const volume_catalog& objects, const volume_catalog::storage_class& from, const quantity& size) {
    const auto* const driver = objects.find_driver(from.provisioner);
    return !size.is_zero() && driver != nullptr && driver->spec.storage_capacity.value_or(false);
}

// Where the driver of a class has that much left for the node; null: nowhere.
inline const volume_catalog::known_capacity* capacity_for(const volume_catalog& objects,
                                                          const volume_catalog::storage_class& from,
                                                          const quantity& size, const node_info& node) {
    const auto& all = objects.capacities();
    const auto found = std::find_if(all.begin(), all.end(), [&](const volume_catalog::known_capacity& one) {
        return one.object->storage_class_name == from.metadata.name && one.greatest && *one.greatest >= size &&
               one.nodes && one.nodes->selects(node.node().metadata);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace kcontrol::scheduling::detail
