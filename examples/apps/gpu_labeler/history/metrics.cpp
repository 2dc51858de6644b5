#include "history/metrics.hpp"

#include <algorithm>

namespace gpu_labeler {
namespace {

template <class T>
std::optional<double> number(const std::optional<T>& value) noexcept {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

const metric_info* find_metric(std::string_view name) noexcept {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == name; });
    return found == metrics.end() ? nullptr : &*found;
}

std::optional<double> value_of(const gpu_sample& gpu, metric which) noexcept {
    switch (which) {
    case metric::temperature: return gpu.temperature_celsius;
    case metric::memory_temperature: return gpu.memory_temperature_celsius;
    case metric::power: return gpu.power_watts;
    case metric::utilization: return number(gpu.gpu_percent);
    case metric::memory_utilization: return number(gpu.memory_percent);
    case metric::encoder_utilization: return number(gpu.encoder_percent);
    case metric::decoder_utilization: return number(gpu.decoder_percent);
    case metric::memory_used: return number(gpu.memory_used_bytes);
    case metric::sm_clock: return number(gpu.sm_clock_mhz);
    case metric::memory_clock: return number(gpu.memory_clock_mhz);
    case metric::nvlink_transmit: return gpu.nvlink ? gpu.nvlink->transmit_rate : std::nullopt;
    case metric::nvlink_receive: return gpu.nvlink ? gpu.nvlink->receive_rate : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace gpu_labeler
