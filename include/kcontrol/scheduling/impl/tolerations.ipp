#pragma once

#include <kcontrol/scheduling/tolerations.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// An integer as the API server accepts it in a taint: no sign "+", no leading zeros.
inline std::optional<std::int64_t> taint_number(std::string_view text) noexcept {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || (digits.size() > 1 && digits.front() == '0') || text == "-0") return std::nullopt;
    std::int64_t out = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

}  // namespace detail

KCONTROL_DECL bool tolerates(const api::core::v1::toleration& toleration, const api::core::v1::taint& taint) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    const std::string_view op = toleration.operator_;
    if (op.empty() || op == "Equal") return toleration.value == taint.value;
    if (op == "Exists") return true;
    if (op != "Gt" && op != "Lt") return false;
    const auto bound = detail::taint_number(toleration.value), value = detail::taint_number(taint.value);
    if (!bound || !value) return false;
    return op == "Gt" ? *value > *bound : *value < *bound;
}

KCONTROL_DECL bool tolerates(const list<api::core::v1::toleration>& tolerations, const api::core::v1::taint& taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const auto& toleration) { return tolerates(toleration, taint); });
}

KCONTROL_DECL bool keeps_pods_away(const api::core::v1::taint& taint) noexcept {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

KCONTROL_DECL const api::core::v1::taint* untolerated_taint(const api::core::v1::node& node,
                                                            const api::core::v1::pod& pod) {
    for (const auto& taint : node.spec.taints) {
        if (keeps_pods_away(taint) && !tolerates(pod.spec.tolerations, taint)) return &taint;
    }
    return nullptr;
}

}  // namespace kcontrol::scheduling
