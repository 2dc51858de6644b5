// Comparing resource versions, by the rules that Kubernetes published for it.
#pragma once

#include <kcontrol/config.hpp>

#include <compare>
#include <optional>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Which of two resource versions of the same resource (group and plural) is newer. They can be ordered if both are
/// decimal numbers without a sign or leading zeros, of any length, and not "0"; other ones, as some aggregated API
/// servers have, are opaque: equal if they are the same text. Nothing if neither can be said; treat the objects as
/// different then.
///
/// Versions of different resources, or of different clusters, must not be compared; this function can't detect it.
/// Source: KEP-5504; k8s.io/apimachinery/pkg/util/resourceversion.
inline std::optional<std::strong_ordering> compare_resource_version(std::string_view a, std::string_view b) noexcept {
    const auto ordered = [](std::string_view text) {
        return !text.empty() && text.front() != '0' && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (ordered(a) && ordered(b)) {
        // Without leading zeros, a longer number is a larger one.
        return a.size() != b.size() ? a.size() <=> b.size() : a.compare(b) <=> 0;
    }
    if (a == b && !a.empty() && a != "0") return std::strong_ordering::equal;
    return std::nullopt;
}

}  // namespace kcontrol
