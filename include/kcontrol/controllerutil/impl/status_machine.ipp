#pragma once

#include <kcontrol/controllerutil/status_machine.hpp>

namespace kcontrol {

KCONTROL_DECL transition_counter::transition_counter(metrics_registry& registry, std::string kind,
                                                     std::span<const phase> phases) {
    auto counters = std::make_shared<std::map<step, metric_counter>>();
    const auto add = [&](std::string_view from, std::string_view to) {
        const metric_labels labels{{"kind", kind}, {"from", std::string(from)}, {"to", std::string(to)}};
        counters->emplace(step(from, to), registry.counter("kcontrol_status_transitions_total",
                                                           "Transitions between phases that were written", labels));
    };
    add("", phases.front().name());
    for (const phase& each : phases) {
        for (const auto next : each.steps()) add(each.name(), next);
    }
    counters_ = std::move(counters);
}

KCONTROL_DECL void transition_counter::count(std::string_view from, std::string_view to) const {
    if (counters_ == nullptr) return;
    if (const auto found = counters_->find(step(from, to)); found != counters_->end()) found->second.increment();
}

}  // namespace kcontrol
