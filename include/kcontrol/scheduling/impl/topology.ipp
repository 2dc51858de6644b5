#pragma once

#include <kcontrol/scheduling/topology.hpp>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::int32_t topology::find(std::string_view value) const {
    const auto found = number_of_value_.find(value);
    return found == number_of_value_.end() ? none : found->second;
}

KCONTROL_DECL void topology::set(const node_info& node) {
    const text* const label = node.label(key_.view());
    const std::int32_t before = domain_of(node);
    if (label == nullptr) return remove(node);
    if (before != none && domains_[static_cast<std::size_t>(before)].value == label->view()) return;
    remove(node);
    std::int32_t number = find(*label);
    if (number == none) {
        number = static_cast<std::int32_t>(domains_.size());
        if (free_.empty()) {
            domains_.emplace_back();
        } else {
            number = free_.back();
            free_.pop_back();
        }
        domains_[static_cast<std::size_t>(number)].value = label->str();
        number_of_value_.emplace(label->str(), number);
    }
    ++domains_[static_cast<std::size_t>(number)].nodes;
    if (domain_of_slot_.size() <= node.slot()) domain_of_slot_.resize(node.slot() + 1, none);
    domain_of_slot_[node.slot()] = number;
}

KCONTROL_DECL void topology::remove(const node_info& node) {
    const std::int32_t number = domain_of(node);
    if (number == none) return;
    domain_of_slot_[node.slot()] = none;
    auto& left = domains_[static_cast<std::size_t>(number)];
    if (--left.nodes > 0) return;
    number_of_value_.erase(left.value);
    left.value.clear();
    free_.push_back(number);
}

}  // namespace kcontrol::scheduling
