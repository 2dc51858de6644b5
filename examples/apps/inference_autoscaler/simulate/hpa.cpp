#include "simulate/hpa.hpp"

#include <algorithm>
#include <cmath>

namespace inference_autoscaler {
namespace {

constexpr double tolerance = 0.1;
constexpr auto stabilization = std::chrono::seconds(300);

bool is_tolerated(double ratio) { return std::abs(ratio - 1) <= tolerance; }

std::int32_t desired(const scaling_rule& rule, double value, const facts& now) {
    double ratio = value / rule.threshold;
    const bool mean = rule.pods && rule.pods->of == "Mean";
    if (is_tolerated(ratio)) return now.replicas;
    if (!mean || ratio < 1 || now.loading() == 0) return static_cast<std::int32_t>(std::ceil(ratio * now.warm));
    // Pods that are not ready count as idle when more are to be asked for.
    const double again = ratio * now.warm / now.replicas;
    if (is_tolerated(again) || again < 1) return now.replicas;
    return static_cast<std::int32_t>(std::ceil(again * now.replicas));
}

}  // namespace

std::int32_t hpa_policy::decide(const inference_scaler_spec& spec, const std::vector<scaling_rule>& rules,
                                const facts& now) {
    std::int32_t most = 0;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (const auto value = value_of(now.values.rules[i])) most = std::max(most, desired(rules[i], *value, now));
    }
    std::erase_if(recommended_, [&](const auto& r) { return r.first < now.now - stabilization; });
    recommended_.emplace_back(now.now, most);
    if (most < now.replicas) {
        const auto highest = std::ranges::max_element(recommended_, {}, [](const auto& r) { return r.second; });
        most = std::min(highest->second, now.replicas);
    }
    most = std::min(most, std::max(now.replicas * 2, now.replicas + 4));
    return std::clamp(most, std::max(spec.min_replicas, 1), spec.max_replicas);
}

}  // namespace inference_autoscaler
