#pragma once

#include <kcontrol/controller/stats.hpp>

namespace kcontrol {

KCONTROL_DECL std::vector<double> reconcile_time_bounds() {
    return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
            0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
            6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

KCONTROL_DECL std::vector<double> queue_time_bounds() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

KCONTROL_DECL std::string priority_label(const priority_counters& of) {
    return of.others ? "exceeded_cardinality_limit" : std::to_string(of.priority);
}

}  // namespace kcontrol
