#pragma once

#include <kcontrol/cluster/detail/audit_rule.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

inline bool is_newer(std::string_view a, std::string_view b) {
    const auto order = compare_resource_version(a, b);
    return order && *order > 0;
}

KCONTROL_DECL std::vector<audit_finding> compare_with_list(const versions_by_key& cached, const versions_by_key& served,
                                                           std::string_view as_of) {
    std::vector<audit_finding> out;
    for (const auto& [key, version] : cached) {
        const auto listed = served.find(key);
        const std::string there = listed == served.end() ? std::string() : listed->second;
        if (version != there && !is_newer(version, as_of)) out.emplace_back(key, version, there);
    }
    for (const auto& [key, version] : served) {
        if (!cached.contains(key)) out.emplace_back(key, std::string(), version);
    }
    return out;
}

KCONTROL_DECL std::vector<audit_finding> audit_journal::found(const std::vector<audit_finding>& all) {
    std::map<namespaced_name, audit_finding> now;
    std::vector<audit_finding> news;
    for (const audit_finding& one : all) {
        const auto before = known_.find(one.key);
        if (before == known_.end() || !(before->second == one)) news.push_back(one);
        now.emplace(one.key, one);
    }
    known_ = std::move(now);
    return news;
}

}  // namespace kcontrol::detail
