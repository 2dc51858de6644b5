#pragma once

#include <kcontrol/scheduling/refusals.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::string none_available(std::size_t nodes, std::vector<std::string> reasons) {
    if (nodes == 0) return "no nodes available to schedule pods";
    std::sort(reasons.begin(), reasons.end());
    std::string out = "0/" + std::to_string(nodes) + " nodes are available:";
    for (std::size_t i = 0; i < reasons.size(); ++i) out.append(i == 0 ? " " : ", ").append(reasons[i]);
    if (!reasons.empty()) out += '.';
    return out;
}

// As Go prints a list: "[NodeAffinity VolumeBinding]".
inline std::string sorted_list(std::span<const std::string_view> names) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::sort(sorted.begin(), sorted.end());
    std::string out = "[";
    for (const auto name : sorted) out.append(out.size() > 1 ? " " : "").append(name);
    return out + "]";
}

}  // namespace detail

KCONTROL_DECL void refusals::add(const status& refused, std::size_t nodes) {
    for (std::size_t i = 0; i < refused.reason_count(); ++i) {
        const auto& reason = refused.reason(i);
        const auto found =
            std::find_if(counts_.begin(), counts_.end(), [&](const reason_count& one) { return one.reason == reason; });
        if (found == counts_.end()) {
            counts_.push_back({reason, nodes});
        } else {
            found->nodes += nodes;
        }
    }
}

KCONTROL_DECL std::string refusals::message(std::size_t nodes) const {
    std::vector<std::string> reasons;
    for (const auto& one : counts_) {
        reasons.push_back(std::to_string(one.nodes) + " " + std::string(one.reason.view()));
    }
    return detail::none_available(nodes, std::move(reasons));
}

KCONTROL_DECL std::string pre_filter_message(std::size_t nodes, const status& refused) {
    std::string all;
    for (std::size_t i = 0; i < refused.reason_count(); ++i) {
        all.append(i == 0 ? "" : ", ").append(refused.reason(i).view());
    }
    return detail::none_available(nodes, {std::move(all)});
}

KCONTROL_DECL status not_named_by(std::span<const std::string_view> plugins) {
    return status::unresolvable(interned_name("node(s) didn't satisfy plugin(s) " + detail::sorted_list(plugins)));
}

KCONTROL_DECL status none_named_by(std::span<const std::string_view> plugins) {
    return status::unresolvable(
        interned_name("node(s) didn't satisfy plugin(s) " + detail::sorted_list(plugins) + " simultaneously"));
}

}  // namespace kcontrol::scheduling
