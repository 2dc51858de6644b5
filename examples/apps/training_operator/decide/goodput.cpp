#include "decide/goodput.hpp"

#include "job/phases.hpp"

#include <algorithm>

namespace training_operator {

void goodput::add(const training_job& job, wall_time now) {
    const auto& status = job.status;
    const auto* phase = phases.find(status.phase);
    if (!status.start_time.present() || phase == nullptr) return;
    auto end = now;
    if (status.trained_time.present()) {
        end = status.trained_time.value();
    } else if (phase->is_terminal() || status.phase == "Suspended") {
        end = status.phase_time.value();
    }
    const auto seconds = [](duration d) { return std::max(0.0, std::chrono::duration<double>(d).count()); };
    const double all = seconds(end - status.start_time.value());
    double kept = static_cast<double>(status.kept_seconds);
    if (status.phase == "Running") kept += seconds(now - status.phase_time.value());
    all_ += all * job.spec.workers;
    kept_ += std::min(kept, all) * job.spec.workers;
}

std::optional<double> goodput::ratio() const {
    if (all_ <= 0) return std::nullopt;
    return kept_ / all_;
}

}  // namespace training_operator
