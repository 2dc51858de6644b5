#pragma once

#include <kcontrol/scheduling/snapshot.hpp>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::size_t snapshot::record_hash::operator()(const pod_name& of) const noexcept {
    const std::size_t a = std::hash<std::string_view>{}(of.namespace_);
    return a ^ (std::hash<std::string_view>{}(of.name) + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
}

KCONTROL_DECL std::size_t snapshot::record_hash::operator()(const std::unique_ptr<record>& of) const noexcept {
    return (*this)(pod_name{of->pod->namespace_(), of->pod->name()});
}

KCONTROL_DECL bool snapshot::record_equal::operator()(const std::unique_ptr<record>& a,
                                                      const std::unique_ptr<record>& b) const noexcept {
    return (*this)(a, pod_name{b->pod->namespace_(), b->pod->name()});
}

KCONTROL_DECL bool snapshot::record_equal::operator()(const std::unique_ptr<record>& a,
                                                      const pod_name& b) const noexcept {
    return a->pod->name() == b.name && a->pod->namespace_() == b.namespace_;
}

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
    const auto found = records_.find(pod_name{namespace_, name});
    return found == records_.end() ? nullptr : found->get();
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
