// Which of a GPU's measurements have a past.
#pragma once

#include "health/sample.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gpu_labeler {

enum class metric : unsigned char {
    temperature,
    memory_temperature,
    power,
    utilization,
    memory_utilization,
    encoder_utilization,
    decoder_utilization,
    memory_used,
    sm_clock,
    memory_clock,
    nvlink_transmit,
    nvlink_receive
};

struct metric_info {
    metric which;
    std::string_view name;  ///< in the interface
    std::string_view unit;
};

inline constexpr std::array<metric_info, 12> metrics{{
    {metric::temperature, "temperatureC", "C"},
    {metric::memory_temperature, "memoryTemperatureC", "C"},
    {metric::power, "powerW", "W"},
    {metric::utilization, "utilization", "%"},
    {metric::memory_utilization, "memoryUtilization", "%"},
    {metric::encoder_utilization, "encoderUtilization", "%"},
    {metric::decoder_utilization, "decoderUtilization", "%"},
    {metric::memory_used, "memoryUsedBytes", "bytes"},
    {metric::sm_clock, "smClockMHz", "MHz"},
    {metric::memory_clock, "memoryClockMHz", "MHz"},
    {metric::nvlink_transmit, "nvlinkTransmitBytesPerSecond", "bytes/s"},
    {metric::nvlink_receive, "nvlinkReceiveBytesPerSecond", "bytes/s"},
}};

/// The metric of that name, or nullptr.
const metric_info* find_metric(std::string_view name) noexcept;

/// What the GPU measured, or nothing.
std::optional<double> value_of(const gpu_sample& gpu, metric which) noexcept;

}  // namespace gpu_labeler
