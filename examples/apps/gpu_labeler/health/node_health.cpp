#include "health/node_health.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gpu_labeler {
namespace {

constexpr std::array<std::string_view, 4> names{"ok", "unknown", "degraded", "failed"};
constexpr std::size_t most_named = 8;  // of the GPUs that are not well

node_health of(gpu_health health) {
    switch (health) {
    case gpu_health::ok: return node_health::ok;
    case gpu_health::degraded: return node_health::degraded;
    case gpu_health::failed: return node_health::failed;
    }
    return node_health::unknown;
}

std::string problem_of(const gpu_sample& gpu) {
    std::string out = "GPU " + std::to_string(gpu.index);
    if (!gpu.uuid.empty()) out += " (" + gpu.uuid + ")";
    return out + ": " + gpu.reason;
}

node_verdict of_gpus(const node_sample& sample) {
    node_verdict out;
    std::size_t unwell = 0;
    for (const auto& gpu : sample.gpus) {
        if (gpu.health == gpu_health::ok) continue;
        out.health = std::max(out.health, of(gpu.health));
        if (unwell++ < most_named) out.message += (out.message.empty() ? "" : "; ") + problem_of(gpu);
    }
    if (unwell > most_named) out.message += "; and " + std::to_string(unwell - most_named) + " more";
    switch (out.health) {
    case node_health::failed: out.reason = "GPUFailed"; break;
    case node_health::degraded: out.reason = "GPUDegraded"; break;
    case node_health::ok:
    case node_health::unknown:
        out.reason = "AllGPUsHealthy";
        out.message = std::to_string(sample.gpus.size()) + " GPUs answer, and none has an error";
        break;
    }
    return out;
}

}  // namespace

std::string_view to_string(node_health health) noexcept { return names[static_cast<std::size_t>(health)]; }

std::optional<node_verdict> judge_node(const node_sample& sample) {
    const auto unknown = [&](std::string reason) {
        return node_verdict{node_health::unknown, std::move(reason), sample.message};
    };
    switch (sample.state) {
    case reader_state::starting: return std::nullopt;
    case reader_state::ok: return of_gpus(sample);
    case reader_state::no_device: return unknown("NoGPU");
    case reader_state::no_driver: return unknown("NoDriver");
    case reader_state::hanging: return unknown("DriverHangs");
    case reader_state::failing: return unknown("DriverFails");
    }
    return std::nullopt;
}

kcontrol::duration health_damper::patience_for(node_health health) const {
    if (!told_ && health != node_health::unknown) return {};
    if (told_ && told_->health == node_health::unknown && health == node_health::ok) return patience_.known_after;
    switch (health) {
    case node_health::failed: return {};
    case node_health::degraded: return degraded_after;
    case node_health::unknown: return patience_.unknown_after;
    case node_health::ok: break;
    }
    return patience_.well_after;
}

void health_damper::see(node_verdict now, kcontrol::time_point at) {
    if (!seen_ || seen_->health != now.health) since_ = at;
    seen_ = std::move(now);
}

std::optional<kcontrol::time_point> health_damper::next() const {
    if (!seen_ || seen_ == told_) return std::nullopt;
    if (told_ && told_->health == seen_->health) return std::max(since_, told_at_ + words_after);
    return since_ + patience_for(seen_->health);
}

std::optional<node_verdict> health_damper::due(kcontrol::time_point now) const {
    const auto when = next();
    return when && *when <= now ? seen_ : std::nullopt;
}

void health_damper::told(node_verdict what, kcontrol::time_point at) {
    told_ = std::move(what);
    told_at_ = at;
}

}  // namespace gpu_labeler
