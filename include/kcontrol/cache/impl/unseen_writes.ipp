#pragma once

#include <kcontrol/cache/detail/unseen_writes.hpp>
#include <kcontrol/cache/impl/version_waits.ipp>

#include <iterator>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL bool unseen_writes::add(any_object written, std::string_view known) {
    const std::string_view version = written.meta().resource_version;
    if (is_at_least(known, version)) {
        return !before_list_.empty() && is_at_least(last_list_, version) && !is_at_least(before_list_, version);
    }
    const namespaced_name key = written.key();
    observed(key);
    if (size() >= most) observed(order_.front().key());
    order_.push_back(std::move(written));
    by_key_.emplace(key, std::prev(order_.end()));
    return false;
}

KCONTROL_DECL void unseen_writes::observed(const namespaced_name& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    order_.erase(found->second);
    by_key_.erase(found);
}

template <class Gone>
std::vector<any_object> unseen_writes::take_if(Gone&& gone) {
    std::vector<any_object> out;
    for (auto at = order_.begin(); at != order_.end();) {
        if (gone(*at)) {
            out.push_back(*at);
            by_key_.erase(at->key());
            at = order_.erase(at);
        } else {
            ++at;
        }
    }
    return out;
}

KCONTROL_DECL void unseen_writes::passed(std::string_view version) {
    take_if([&](const any_object& one) { return is_at_least(version, one.meta().resource_version); });
}

KCONTROL_DECL std::vector<any_object> unseen_writes::listed(std::string_view known, std::string_view version,
                                                            const std::function<bool(const namespaced_name&)>& has) {
    before_list_ = known;
    last_list_ = version;
    take_if([&](const any_object& one) { return has(one.key()); });
    return take_if([&](const any_object& one) { return is_at_least(version, one.meta().resource_version); });
}

KCONTROL_DECL std::vector<any_object> unseen_writes::history_reset(
    const std::function<bool(const namespaced_name&)>& has) {
    before_list_.clear();
    last_list_.clear();
    take_if([&](const any_object& one) { return has(one.key()); });
    return take_if([](const any_object&) { return true; });
}

}  // namespace kcontrol::detail
