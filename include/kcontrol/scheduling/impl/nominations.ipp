#pragma once

#include <kcontrol/scheduling/impl/keep_time.hpp>
#include <kcontrol/scheduling/nominations.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL void nominations::set(nomination one) {
    remove(one.pod->namespace_(), one.pod->name());
    std::pair<std::string, std::string> key(one.pod->namespace_(), one.pod->name());
    const auto made = by_pod_.emplace(std::move(key), std::move(one)).first;
    by_node_[made->second.node].push_back(&made->second);
}

KCONTROL_DECL bool nominations::remove(std::string_view namespace_, std::string_view name) {
    const auto found = by_pod_.find({std::string(namespace_), std::string(name)});
    if (found == by_pod_.end()) return false;
    const auto of_node = by_node_.find(found->second.node);
    auto& all = of_node->second;
    all.erase(std::find(all.begin(), all.end(), &found->second));
    if (all.empty()) by_node_.erase(of_node);
    by_pod_.erase(found);
    return true;
}

KCONTROL_DECL const nomination* nominations::find(std::string_view namespace_, std::string_view name) const {
    if (by_pod_.empty()) return nullptr;
    const auto found = by_pod_.find({std::string(namespace_), std::string(name)});
    return found == by_pod_.end() ? nullptr : &found->second;
}

KCONTROL_DECL const std::vector<const nomination*>& nominations::on(std::string_view node) const {
    static const std::vector<const nomination*> none;
    const auto found = by_node_.find(node);
    return found == by_node_.end() ? none : found->second;
}

KCONTROL_DECL void nominations::set_leaving(std::string_view uid, bool leaves,
                                            std::shared_ptr<const pod_info> preemptor) {
    if (leaves) {
        leaving_.insert_or_assign(std::string(uid), std::move(preemptor));
    } else if (const auto found = leaving_.find(uid); found != leaving_.end()) {
        leaving_.erase(found);
    }
}

KCONTROL_DECL std::optional<std::shared_ptr<const pod_info>> nominations::preemptor_of(std::string_view uid) const {
    const auto found = leaving_.find(uid);
    return found == leaving_.end() ? std::nullopt : std::optional(found->second);
}

KCONTROL_DECL bool nominations::is_leaving(const pod_info& pod) const {
    if (leaving_.contains(pod.uid())) return true;
    return pod.pod().metadata.deletion_timestamp && detail::keep_time(pod.pod()) == duration::zero();
}

}  // namespace kcontrol::scheduling
