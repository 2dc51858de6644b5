// What placement knows of a node and of a pod: free CPU, and GPUs in thousandths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A GPU has this many parts.
inline constexpr int whole_gpu = 1000;

/// What is free on a node. An element of `gpus` is the free part of a GPU, from 0 to whole_gpu.
struct room {
    std::int64_t cpu_milli = 0;
    std::vector<int> gpus;

    friend bool operator==(const room&, const room&) = default;
};

/// What a pod takes: so many GPUs, and of each of them the same part. Without GPUs, CPU only.
struct demand {
    std::int64_t cpu_milli = 0;
    int gpus = 0;
    int milli = whole_gpu;  ///< of each GPU, from 1

    friend auto operator<=>(const demand&, const demand&) = default;
};

/// GPUs of a node by their places in room::gpus, ascending.
using gpu_places = std::vector<std::size_t>;

/// The free parts of all GPUs together.
inline std::int64_t free_milli(const room& in) {
    std::int64_t sum = 0;
    for (const int each : in.gpus) sum += each;
    return sum;
}

/// What is left once the pod is there.
inline room room_after(room in, const demand& what, const gpu_places& gpus) {
    in.cpu_milli -= what.cpu_milli;
    for (const auto place : gpus) in.gpus[place] -= what.milli;
    return in;
}

/// Whether a pod that names products may be on a node with this one. No names: any product.
inline bool takes_product(const std::vector<std::string>& names, std::string_view product) {
    for (const auto& each : names) {
        if (each == product) return true;
    }
    return names.empty();
}

}  // namespace gpu_scheduler
