#pragma once

#include <kcontrol/scheduling/snapshot.hpp>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL const node_info* snapshot::find(std::string_view node) const {
    const auto found = slot_of_node_.find(node);
    return found == slot_of_node_.end() ? nullptr : at(found->second);
}

KCONTROL_DECL const std::vector<const placed_pod*>& snapshot::pods_in(std::string_view namespace_) const {
    static const std::vector<const placed_pod*> none;
    const auto found = pods_of_namespace_.find(namespace_);
    return found == pods_of_namespace_.end() ? none : found->second;
}

KCONTROL_DECL const placed_pod* snapshot::find_pod(std::string_view namespace_, std::string_view name) const {
    return records_.find(namespace_, name);
}

KCONTROL_DECL const topology* snapshot::by_label(const interned_name& key) const {
    const auto found = topologies_.find(key);
    return found == topologies_.end() ? nullptr : found->second.value.get();
}

KCONTROL_DECL std::size_t snapshot::nodes_with_image(const interned_name& image) const {
    const auto found = nodes_of_image_.find(image);
    return found == nodes_of_image_.end() ? 0 : found->second;
}

KCONTROL_DECL const dict<text>* snapshot::namespace_labels(std::string_view namespace_) const {
    const auto found = namespaces_.find(namespace_);
    return found == namespaces_.end() ? nullptr : &found->second->metadata.labels;
}

}  // namespace kcontrol::scheduling
