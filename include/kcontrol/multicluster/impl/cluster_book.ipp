#pragma once

#include <kcontrol/multicluster/detail/cluster_book.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void cluster_book::offered(const std::optional<error>& failure) {
    const std::lock_guard lock(mutex_);
    offered_ = true;
    failure_ = failure;
}

KCONTROL_DECL void cluster_book::member(bool yes) {
    const std::lock_guard lock(mutex_);
    member_ = yes;
}

KCONTROL_DECL void cluster_book::expect(const std::string& cluster) {
    const std::lock_guard lock(mutex_);
    clusters_[cluster].name = cluster;
}

KCONTROL_DECL void cluster_book::set(const cluster_status& now) {
    const std::lock_guard lock(mutex_);
    clusters_[now.name] = now;
}

KCONTROL_DECL void cluster_book::remove(const std::string& cluster) {
    const std::lock_guard lock(mutex_);
    clusters_.erase(cluster);
}

KCONTROL_DECL std::vector<cluster_status> cluster_book::statuses() const {
    std::vector<cluster_status> out;
    const std::lock_guard lock(mutex_);
    for (const auto& [name, one] : clusters_) out.push_back(one);
    return out;
}

KCONTROL_DECL result<void> cluster_book::ready(readiness when, bool shared) {
    const std::lock_guard lock(mutex_);
    if (when == readiness::synced_once && was_ready_) return {};
    const result<void> now = check(when, shared);
    if (now && when == readiness::synced_once) was_ready_ = true;
    return now;
}

KCONTROL_DECL result<void> cluster_book::check(readiness when, bool shared) const {
    if (failure_) return *failure_;
    if (!offered_) return error(errc::not_synced, "nobody has said yet which clusters there are");
    if (shared && !member_) return error(errc::not_synced, "this replica's own Lease is not held");
    std::size_t count = 0;
    std::string first;
    for (const auto& [name, one] : clusters_) {
        const bool well =
            when == readiness::live ? one.state == cluster_state::live : one.state != cluster_state::connecting;
        if (!well && count++ == 0) first = name + " is " + std::string(to_string(one.state));
    }
    if (count == 0) return {};
    const std::string others = count == 1 ? "" : ", and " + std::to_string(count - 1) + " more are not ready";
    return error(errc::not_synced, "cluster " + first + others);
}

}  // namespace kcontrol::detail
