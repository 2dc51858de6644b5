#pragma once

#include <kcontrol/cluster/detail/stale_marks.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void stale_marks::drop_old(time_point now) {
    std::erase_if(marks_, [&](const auto& one) { return now - one.second.since >= lifetime; });
    if (marks_.size() < most) return;
    marks_.erase(std::min_element(marks_.begin(), marks_.end(),
                                  [](const auto& a, const auto& b) { return a.second.since < b.second.since; }));
}

KCONTROL_DECL void stale_marks::mark(const group_version_kind& kind, const namespaced_name& key, time_point now) {
    const object which(kind, key);
    if (!marks_.contains(which)) drop_old(now);
    marks_[which] = entry{now, std::nullopt};
}

KCONTROL_DECL bool stale_marks::is_over(const entry& mark, std::string_view cached, time_point now) {
    if (now - mark.since >= lifetime) return true;
    if (!mark.until) return false;
    const auto order = compare_resource_version(cached, *mark.until);
    return order ? *order >= 0 : cached.empty() && mark.until->empty();
}

KCONTROL_DECL bool stale_marks::marks(const group_version_kind& kind, const namespaced_name& key,
                                      std::string_view cached, time_point now) const {
    if (marks_.empty()) return false;
    const auto found = marks_.find(object(kind, key));
    return found != marks_.end() && !is_over(found->second, cached, now);
}

KCONTROL_DECL bool stale_marks::asks(const group_version_kind& kind, const namespaced_name& key,
                                     std::string_view cached, time_point now) {
    if (marks_.empty()) return false;
    const auto found = marks_.find(object(kind, key));
    if (found == marks_.end()) return false;
    if (!is_over(found->second, cached, now)) return true;
    marks_.erase(found);
    return false;
}

KCONTROL_DECL void stale_marks::answered(const group_version_kind& kind, const namespaced_name& key,
                                         std::string_view version) {
    if (marks_.empty()) return;
    const auto found = marks_.find(object(kind, key));
    if (found != marks_.end()) found->second.until = std::string(version);
}

}  // namespace kcontrol::detail
