#pragma once

#include <kcontrol/scheduling/trial.hpp>

#include <utility>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL bool trial::place(std::shared_ptr<const pod_info> pod, std::string_view node) {
    if (cluster_->snapshot().find(node) == nullptr || cluster_->find(*pod) != nullptr) return false;
    done_.push_back({pod, nullptr});
    cluster_->insert(std::move(pod), node);
    return true;
}

KCONTROL_DECL std::shared_ptr<const pod_info> trial::take_away(const pod_info& pod) {
    auto* const known = cluster_->find(pod);
    if (known == nullptr || known->pod->uid() != pod.uid() || !known->on->exists()) return nullptr;
    auto& taken = done_.emplace_back(step{nullptr, std::make_unique<cache::record>(std::move(*known))}).taken;
    cluster_->erase(*known);
    return taken->shared;
}

KCONTROL_DECL void trial::roll_back(std::size_t to) noexcept {
    while (done_.size() > to) {
        auto& last = done_.back();
        if (last.taken == nullptr) {
            cluster_->erase(*cluster_->find(*last.pod));
        } else {
            auto& back = cluster_->insert(last.taken->shared, last.taken->on->name());
            cluster_->set_assumed(back, last.taken->is_assumed);
            last.taken->place_in_namespace = back.place_in_namespace;
            back = std::move(*last.taken);
        }
        done_.pop_back();
    }
}

}  // namespace kcontrol::scheduling
