#include "testserver/event_forms.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view new_group = "events.k8s.io";

// Names in core/v1 and in events.k8s.io/v1; members that are not here are called the same in both.
constexpr std::array event_members = {
    std::pair<std::string_view, std::string_view>("involvedObject", "regarding"),
    std::pair<std::string_view, std::string_view>("message", "note"),
    std::pair<std::string_view, std::string_view>("source", "deprecatedSource"),
    std::pair<std::string_view, std::string_view>("firstTimestamp", "deprecatedFirstTimestamp"),
    std::pair<std::string_view, std::string_view>("lastTimestamp", "deprecatedLastTimestamp"),
    std::pair<std::string_view, std::string_view>("count", "deprecatedCount"),
    std::pair<std::string_view, std::string_view>("reportingComponent", "reportingController"),
};

}  // namespace
}  // namespace detail

std::optional<group_resource> other_events(const group_resource& id) {
    if (id.resource != "events") return std::nullopt;
    if (id.group.empty()) return group_resource(std::string(detail::new_group), "events");
    if (id.group == detail::new_group) return group_resource("", "events");
    return std::nullopt;
}

json::object event_in_other_form(const group_resource& id, const json::object& content) {
    const bool from_core = id.group.empty();
    json::object out;
    for (const auto& member : content) {
        const std::string_view given(member.key());
        const auto is_it = [&](const auto& names) { return (from_core ? names.first : names.second) == given; };
        const auto names = std::find_if(detail::event_members.begin(), detail::event_members.end(), is_it);
        const bool renamed = names != detail::event_members.end();
        const std::string_view name = !renamed ? given : from_core ? names->second : names->first;
        out[name] = member.value();
    }
    return out;
}

}  // namespace kcontrol::testing
