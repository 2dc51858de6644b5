#pragma once

#include <kcontrol/scheduling/impl/storage_objects.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

template <class Map>
auto* find_in(Map& map, std::string_view key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

template <class Map>
void erase_from(Map& map, std::string_view key) {
    const auto found = map.find(key);
    if (found != map.end()) map.erase(found);
}

}  // namespace detail

KCONTROL_DECL std::string_view storage_class_of(const api::core::v1::persistent_volume_claim& claim) {
    return detail::storage_class_named(claim.metadata, claim.spec.storage_class_name);
}

KCONTROL_DECL std::string_view storage_class_of(const api::core::v1::persistent_volume& volume) {
    return detail::storage_class_named(volume.metadata, volume.spec.storage_class_name);
}

KCONTROL_DECL void volume_catalog::set(std::shared_ptr<const claim> object) {
    auto& known = claims_[detail::claim_key(*object)];
    const auto selected = detail::annotation_of(object->metadata, detail::selected_node_annotation);
    const bool is_another = known.object != nullptr && known.object->metadata.uid != object->metadata.uid;
    // Without the annotation it may be older than a decision. One that was shown, and is gone, was taken back: the
    // provisioner failed there.
    if (!selected.empty() || is_another || !object->spec.volume_name.empty()) known.is_assumed = false;
    if (!known.is_assumed) known.selected_node = selected;
    known.object = std::move(object);
}

KCONTROL_DECL void volume_catalog::remove_claim(std::string_view namespace_, std::string_view name) {
    detail::erase_from(claims_, detail::claim_key(namespace_, name));
}

KCONTROL_DECL void volume_catalog::set(std::shared_ptr<const volume> object) {
    const std::string name = object->metadata.name;
    std::string assumed;
    if (const auto* const before = detail::find_in(volumes_, name)) {
        const bool is_same = before->object->metadata.uid == object->metadata.uid;
        if (is_same && !object->spec.claim_ref) assumed = before->assumed_claim;
    }
    remove_volume(name);
    auto& known = volumes_[name];
    known.capacity = detail::storage_in(object->spec.capacity);
    const auto& affinity = object->spec.node_affinity;
    if (affinity && affinity->required) {
        auto selector = node_selector::of(*affinity->required);
        known.nodes = selector ? std::move(*selector) : node_selector();
    }
    known.assumed_claim = std::move(assumed);
    volumes_of_class_[std::string(storage_class_of(*object))].push_back(&known);
    known.object = std::move(object);
}

KCONTROL_DECL void volume_catalog::remove_volume(std::string_view name) {
    const auto found = volumes_.find(name);
    if (found == volumes_.end()) return;
    std::erase(volumes_of_class_.find(storage_class_of(*found->second.object))->second, &found->second);
    volumes_.erase(found);
}

KCONTROL_DECL void volume_catalog::set(std::shared_ptr<const storage_class> object) {
    classes_.insert_or_assign(object->metadata.name, std::move(object));
}

KCONTROL_DECL void volume_catalog::remove_class(std::string_view name) { detail::erase_from(classes_, name); }

KCONTROL_DECL void volume_catalog::set(std::shared_ptr<const csi_driver> object) {
    drivers_.insert_or_assign(object->metadata.name, std::move(object));
}

KCONTROL_DECL void volume_catalog::remove_driver(std::string_view name) { detail::erase_from(drivers_, name); }

KCONTROL_DECL void volume_catalog::set(std::shared_ptr<const csi_storage_capacity> object) {
    remove_capacity(object->metadata.namespace_, object->metadata.name);
    known_capacity known;
    const auto& limit = object->maximum_volume_size.present() ? object->maximum_volume_size : object->capacity;
    if (const auto read = quantity::parse(limit)) known.greatest = *read;
    if (const auto read = quantity::parse(object->capacity)) known.total = *read;
    if (object->node_topology) {
        if (auto selector = label_selector::of(object->node_topology)) known.nodes = std::move(*selector);
    }
    known.object = std::move(object);
    capacities_.push_back(std::move(known));
}

KCONTROL_DECL void volume_catalog::remove_capacity(std::string_view namespace_, std::string_view name) {
    std::erase_if(capacities_, [&](const known_capacity& one) {
        return one.object->metadata.name == name && one.object->metadata.namespace_ == namespace_;
    });
}

KCONTROL_DECL void volume_catalog::assume(const volume_decision& decision, std::string_view node) {
    for (const auto& one : decision.bindings) {
        if (auto* const known = detail::find_in(volumes_, one.volume->metadata.name)) {
            known->assumed_claim = detail::claim_key(*one.claim);
        }
    }
    for (const auto& one : decision.provisions) {
        if (auto* const known = detail::find_in(claims_, detail::claim_key(*one))) {
            known->is_assumed = known->selected_node != node;
            known->selected_node = node;
        }
    }
}

KCONTROL_DECL void volume_catalog::forget(const volume_decision& decision) {
    for (const auto& one : decision.bindings) {
        if (auto* const known = detail::find_in(volumes_, one.volume->metadata.name)) known->assumed_claim.clear();
    }
    for (const auto& one : decision.provisions) {
        if (auto* const known = detail::find_in(claims_, detail::claim_key(*one))) {
            known->selected_node = detail::annotation_of(known->object->metadata, detail::selected_node_annotation);
            known->is_assumed = false;
        }
    }
}

KCONTROL_DECL const volume_catalog::known_claim* volume_catalog::find_claim(std::string_view namespace_,
                                                                            std::string_view name) const {
    return detail::find_in(claims_, detail::claim_key(namespace_, name));
}

KCONTROL_DECL const volume_catalog::known_volume* volume_catalog::find_volume(std::string_view name) const {
    return detail::find_in(volumes_, name);
}

KCONTROL_DECL const api::storage::v1::storage_class* volume_catalog::find_class(std::string_view name) const {
    const auto* const found = detail::find_in(classes_, name);
    return found == nullptr ? nullptr : found->get();
}

KCONTROL_DECL const api::storage::v1::csi_driver* volume_catalog::find_driver(std::string_view name) const {
    const auto* const found = detail::find_in(drivers_, name);
    return found == nullptr ? nullptr : found->get();
}

KCONTROL_DECL const std::vector<const volume_catalog::known_volume*>& volume_catalog::volumes_of(
    std::string_view storage_class_name) const {
    static const std::vector<const known_volume*> none;
    const auto* const found = detail::find_in(volumes_of_class_, storage_class_name);
    return found == nullptr ? none : *found;
}

}  // namespace kcontrol::scheduling
