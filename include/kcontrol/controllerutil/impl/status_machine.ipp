#pragma once

#include <kcontrol/controllerutil/status_machine.hpp>

#include <chrono>
#include <vector>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL transition_counter::transition_counter(metrics_registry& registry, std::string kind,
                                                     std::span<const phase> phases) {
    auto counters = std::make_shared<std::map<step, metric_counter>>();
    auto times = std::make_shared<std::map<std::string_view, metric_histogram>>();
    const std::vector<double> bounds{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600};
    const auto add = [&](std::string_view from, std::string_view to) {
        const metric_labels labels{{"kind", kind}, {"from", std::string(from)}, {"to", std::string(to)}};
        counters->emplace(step(from, to), registry.counter("kcontrol_status_transitions_total",
                                                           "Transitions between phases that were written", labels));
    };
    add("", phases.front().name());
    for (const phase& each : phases) {
        for (const auto next : each.steps()) add(each.name(), next);
        if (each.is_terminal()) continue;  // nothing leaves it
        const metric_labels labels{{"kind", kind}, {"phase", std::string(each.name())}};
        times->emplace(each.name(), registry.histogram("kcontrol_status_phase_seconds",
                                                       "Time in a phase, of objects that left it", bounds, labels));
    }
    counters_ = std::move(counters);
    times_ = std::move(times);
}

KCONTROL_DECL void transition_counter::count(std::string_view from, std::string_view to) const {
    if (counters_ == nullptr) return;
    if (const auto found = counters_->find(step(from, to)); found != counters_->end()) found->second.increment();
}

KCONTROL_DECL void transition_counter::spent(std::string_view phase, duration time) const {
    if (times_ == nullptr) return;
    const auto found = times_->find(phase);
    if (found != times_->end()) found->second.observe(std::chrono::duration<double>(time).count());
}

}  // namespace kcontrol
