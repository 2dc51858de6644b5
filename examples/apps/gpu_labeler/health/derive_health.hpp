// What a GPU's numbers say about its health.
#pragma once

#include "health/sample.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// What an XID says about the GPU that reports it.
enum class xid_meaning {
    application,  ///< a program on the GPU is to blame, or was ended; the GPU is well
    wants_attention,
    fatal  ///< the GPU, or its memory, is out of order until it is reset
};

/// As NVIDIA's device plugin and its catalogue of XIDs have it; of a number that is not known the worst is not assumed.
xid_meaning meaning_of_xid(std::uint64_t xid) noexcept;

/// In a few words, or empty for a number that is not known.
std::string_view describe_xid(std::uint64_t xid) noexcept;

struct health_verdict {
    gpu_health health = gpu_health::ok;
    std::string reason;  ///< of the worst thing found, and what to do; empty: ok

    bool operator==(const health_verdict&) const = default;
};

/// The worst that a GPU's numbers say. One that failed already stays so. Where the driver says what recovery the GPU
/// needs, that counts, and past XIDs don't: it knows whether they still matter. But XID 79 always does, until this
/// program starts anew: a GPU that fell off the bus is never told as well.
health_verdict derive_health(const gpu_sample& gpu);

}  // namespace gpu_labeler
