// What a controller counts by priority.
#pragma once

#include <kcontrol/controller/impl/controller_impl.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1 {

// Of priorities that the queue counts together there is one.
inline priority_stats* any_controller::impl::stats_of(int priority) {
    const auto there = times.find(priority);
    if (there != times.end()) return &there->second;
    for (const priority_counters& of : work->counters_by_priority()) {
        if (of.others) return &times.try_emplace(std::nullopt, of).first->second;
        if (of.priority == priority) return &times.try_emplace(priority, of).first->second;
    }
    return nullptr;
}

inline void any_controller::impl::add_queue_stats(std::vector<priority_stats>& out) const {
    for (const priority_counters& of : work->counters_by_priority()) {
        const auto there = times.find(of.others ? std::nullopt : std::optional<int>(of.priority));
        out.push_back(there == times.end() ? priority_stats(of) : there->second);
        out.back().counters = of;
    }
    for (const unfinished_work& running : work->unfinished(env.now())) {
        const auto of = std::find_if(out.begin(), out.end(), [&](const priority_stats& p) {
            return p.counters.others || p.counters.priority == running.priority;
        });
        if (of == out.end()) continue;
        of->unfinished_work += running.since;
        of->longest_running = std::max(of->longest_running, running.since);
    }
}

}  // namespace kcontrol
