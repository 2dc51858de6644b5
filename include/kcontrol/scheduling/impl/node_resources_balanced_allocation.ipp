#pragma once

#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// The standard deviation of fractions. Of more than two it needs a second pass, so that nothing is allocated.
struct fraction_spread {
    double sum = 0, first = 0, second = 0, squares = 0;
    int count = 0;

    void add(double fraction) {
        sum += fraction;
        (count++ == 0 ? first : second) = fraction;
    }
    void add_square(double fraction) {
        const double from_mean = fraction - sum / count;
        squares += from_mean * from_mean;
    }
    // How even they are: 100 if all are the same. Whole numbers, as kube-scheduler rounds here, too.
    std::int64_t evenness() const {
        double spread = 0;
        if (count == 2) spread = std::abs((first - second) / 2);
        if (count > 2) spread = std::sqrt(squares / count);
        return static_cast<std::int64_t>((1 - spread) * static_cast<double>(max_node_score));
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
    detail::fraction_spread before, after;
    const auto each = [&](void (detail::fraction_spread::*take)(double)) {
        for (const auto& one : resources_) {
            const auto use = detail::use_of(one, pod, node, detail::counted_amounts::requested);
            if (use.allocatable == 0) continue;
            const auto all = static_cast<double>(use.allocatable);
            (before.*take)(std::min(1.0, static_cast<double>(use.before) / all));
            (after.*take)(std::min(1.0, static_cast<double>(use.after) / all));
        }
    };
    each(&detail::fraction_spread::add);
    if (before.count > 2) each(&detail::fraction_spread::add_square);
    const std::int64_t half = max_node_score / 2;
    return half + (half + after.evenness() - before.evenness()) / 2;
}

}  // namespace kcontrol::scheduling
