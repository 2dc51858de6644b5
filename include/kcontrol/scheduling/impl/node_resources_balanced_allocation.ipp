#pragma once

#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// The mean and the standard deviation of fractions, read in one pass after another so that nothing is allocated.
class fraction_spread {
public:
    template <class Fractions>
    static double of(const Fractions& each) {
        double sum = 0, first = 0, second = 0;
        int count = 0;
        each([&](double fraction) {
            sum += fraction;
            ++count;
            (count == 1 ? first : second) = fraction;
        });
        if (count < 2) return 0;
        if (count == 2) return std::abs((first - second) / 2);
        const double mean = sum / count;
        double squares = 0;
        each([&](double fraction) { squares += (fraction - mean) * (fraction - mean); });
        return std::sqrt(squares / count);
    }
};

}  // namespace detail

KCONTROL_DECL status node_resources_balanced_allocation::pre_score(const pod_info& pod, const snapshot&,
                                                                   std::span<const node_info* const>) const {
    const bool requests_any = std::any_of(resources_.begin(), resources_.end(), [&](const resource_weight& one) {
        return pod.requests().amount_of(one.resource().view()) != 0;
    });
    return requests_any ? status() : status::skip();
}

KCONTROL_DECL std::int64_t node_resources_balanced_allocation::score(const pod_info& pod, const node_info& node) const {
    // How even the use is: 100 if all fractions are the same. Whole numbers, as kube-scheduler rounds here, too.
    const auto evenness = [&](std::int64_t detail::resource_use::*amount) {
        const double spread = detail::fraction_spread::of([&](auto&& take) {
            for (const auto& one : resources_) {
                const auto use = detail::use_of(one.resource(), pod, node, detail::counted_amounts::requested);
                if (use.allocatable == 0) continue;
                take(std::min(1.0, static_cast<double>(use.*amount) / static_cast<double>(use.allocatable)));
            }
        });
        return static_cast<std::int64_t>((1 - spread) * static_cast<double>(max_node_score));
    };
    const std::int64_t half = max_node_score / 2;
    return half + (half + evenness(&detail::resource_use::after) - evenness(&detail::resource_use::before)) / 2;
}

}  // namespace kcontrol::scheduling
