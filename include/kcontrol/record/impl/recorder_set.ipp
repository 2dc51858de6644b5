#pragma once

#include <kcontrol/record/recorder_set.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline awaitable<bool> stop_recorders(environment& env, std::vector<std::shared_ptr<event_recorder>> all,
                                      time_point deadline, logger log) {
    // None takes a note from now on, and each has the same deadline: the first one's wait is the others' time, too.
    deadline = std::min<time_point>(deadline, env.now() + std::chrono::seconds(5));
    for (const auto& one : all) one->close();
    bool ended = true;
    for (const auto& one : all) {
        const bool drained = co_await one->stop(std::max(deadline - env.now(), duration::zero()));
        ended = ended && drained;
    }
    if (!ended) log.warning("some Events were not written before their recorders stopped");
    co_return ended;
}

}  // namespace detail

KCONTROL_DECL std::shared_ptr<event_recorder> recorder_set::of(const event_recorder_options& options) {
    auto& slot = recorders_[options.controller()];
    if (!slot) {
        slot =
            std::make_shared<event_recorder>(*env_, ex_, client_, options, log_.with("recorder", options.controller()));
        if (running_) slot->start(lifetime_.token());
    }
    return slot;
}

KCONTROL_DECL void recorder_set::start() {
    running_ = true;
    for (const auto& [name, one] : recorders_) one->start(lifetime_.token());
}

KCONTROL_DECL awaitable<bool> recorder_set::stop(time_point deadline) {
    running_ = false;
    std::vector<std::shared_ptr<event_recorder>> all;
    for (const auto& [name, one] : recorders_) all.push_back(one);
    return detail::stop_recorders(*env_, std::move(all), deadline, log_);
}

KCONTROL_DECL void recorder_set::rebuild(client next) {
    for (const auto& [name, one] : recorders_) one->rebuild(next);
    client_ = std::move(next);
}

KCONTROL_DECL std::vector<recorder_report> recorder_set::reports() const {
    std::vector<recorder_report> out;
    for (const auto& [name, one] : recorders_) out.emplace_back(name, one->stats());
    return out;
}

KCONTROL_DECL void recorder_set::write_metrics(metrics_writer& out, const std::string& cluster) const {
    write_recorder_metrics(out, cluster, reports());
}

KCONTROL_DECL void write_recorder_metrics(metrics_writer& out, const std::string& cluster,
                                          const std::vector<recorder_report>& all) {
    for (const recorder_report& of : all) {
        const auto count = [&](const char* outcome, std::uint64_t value) {
            const metric_labels labels{{"cluster", cluster}, {"controller", of.controller}, {"outcome", outcome}};
            out.counter("kcontrol_events_total", "Notes for Events, by what became of them.", labels,
                        static_cast<double>(value));
        };
        count("created", of.stats.created);
        count("repeated", of.stats.repeated);
        count("spam", of.stats.spam);
        count("dropped", of.stats.dropped);
        count("failed", of.stats.failed);
        out.gauge("kcontrol_events_queued", "Notes that wait to be written.",
                  {{"cluster", cluster}, {"controller", of.controller}}, static_cast<double>(of.stats.queued));
    }
}

}  // namespace kcontrol
