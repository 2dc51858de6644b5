#pragma once

#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL bool affinity_term::matches(const object_meta& pod, const dict<text>* namespace_labels) const {
    const std::string_view own = pod.namespace_;
    if (!std::binary_search(namespaces.begin(), namespaces.end(), own, std::less<std::string_view>())) {
        const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
            const auto* const value = namespace_labels == nullptr ? nullptr : namespace_labels->get(key);
            if (value == nullptr) return std::nullopt;
            return value->view();
        };
        if (!namespace_selector.matches_with(label)) return false;
    }
    return selector.selects(pod);
}

}  // namespace kcontrol::scheduling
