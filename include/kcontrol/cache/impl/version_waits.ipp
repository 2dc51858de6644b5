#pragma once

#include <kcontrol/cache/version_waits.hpp>
#include <kcontrol/model/resource_version.hpp>

#include <map>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline bool can_be_ordered(std::string_view version) { return compare_resource_version(version, "1").has_value(); }
inline bool is_at_least(std::string_view known, std::string_view wanted) {
    const auto order = compare_resource_version(known, wanted);
    return order && *order >= 0;
}

}  // namespace detail

template <class Ends>
bool version_waits::end_if(Ends&& ends) {
    return std::erase_if(waits_, [&](const auto& one) { return ends(one.second); }) > 0;
}

KCONTROL_DECL version_waits::ticket version_waits::add(namespaced_name key, std::string version) {
    const ticket made = next_++;
    // What has no version was not stored: there is nothing to wait for.
    if (version.empty() || version == "0") return made;
    const bool ordered = detail::can_be_ordered(version);
    waits_.emplace(made, entry{std::move(key), std::move(version), ordered});
    return made;
}

KCONTROL_DECL bool version_waits::observed(const namespaced_name& key, std::string_view version) {
    return end_if([&](const entry& w) { return w.key == key && detail::is_at_least(version, w.version); });
}

KCONTROL_DECL bool version_waits::deleted(const namespaced_name& key, std::string_view version) {
    return end_if(
        [&](const entry& w) { return w.key == key && (!w.ordered || detail::is_at_least(version, w.version)); });
}

KCONTROL_DECL bool version_waits::passed(std::string_view version) {
    if (version.empty()) return false;
    return end_if([&](const entry& w) { return w.ordered && detail::is_at_least(version, w.version); });
}

KCONTROL_DECL bool version_waits::listed(const std::function<std::string(const namespaced_name&)>& version_of) {
    return end_if([&](const entry& w) {
        const std::string present = version_of(w.key);
        return present.empty() ? !w.ordered : detail::is_at_least(present, w.version);
    });
}

KCONTROL_DECL bool version_waits::history_reset() {
    return end_if([](const entry&) { return true; });
}

}  // namespace kcontrol
