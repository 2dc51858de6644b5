#include "health/nvlink_rates.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace gpu_labeler {
namespace {

std::optional<double> rate(const std::optional<std::uint64_t>& before, const std::optional<std::uint64_t>& now,
                           double seconds) {
    if (!before || !now || *now < *before || seconds <= 0) return std::nullopt;
    return static_cast<double>(*now - *before) / seconds;
}

}  // namespace

void nvlink_rates::complete(node_sample& sample, kcontrol::time_point now) {
    const auto before = std::exchange(last_, {});
    for (auto& gpu : sample.gpus) {
        if (!gpu.nvlink || gpu.uuid.empty()) continue;
        auto& links = *gpu.nvlink;
        if (const auto was = before.find(gpu.uuid); was != before.end()) {
            const double seconds = std::chrono::duration<double>(now - was->second.at).count();
            links.transmit_rate = rate(was->second.links.transmitted_bytes, links.transmitted_bytes, seconds);
            links.receive_rate = rate(was->second.links.received_bytes, links.received_bytes, seconds);
        }
        last_[gpu.uuid] = {now, links};
    }
}

}  // namespace gpu_labeler
