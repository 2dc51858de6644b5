// What the labeler of a node says of its GPUs: of /api/v1/gpus (examples/apps/gpu_labeler) what is shown.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// A pod that a GPU was given to.
struct gpu_holder {
    std::string namespace_, pod;
    bool slice = false;  ///< of the GPU it has a MIG slice
};

/// Nothing in a field: the GPU, or its driver, does not say.
struct gpu_report {
    std::int64_t index = 0;
    std::string name;
    std::string health;  ///< ok, degraded, failed; unknown for any other word
    std::string reason;
    std::optional<double> utilization;  ///< percent
    std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
    std::optional<double> power_watts;
    std::optional<double> temperature_celsius;
    std::optional<std::int64_t> xid;  ///< the last
    std::string xid_time;             ///< RFC 3339, or empty
    std::vector<gpu_holder> holders;
};

struct node_report {
    std::string state;  ///< of the driver: ok, hanging, no-driver…
    std::string message;
    std::vector<gpu_report> gpus;  ///< by index

    /// The labeler is told which pod has which GPU; false also where no pod has any.
    bool knows_holders() const noexcept;
};

/// The most bytes of an answer that are read.
inline constexpr std::size_t most_report_bytes = std::size_t{256} << 10;

/// Reads an answer, which may come from anything that listens there: 64 GPUs at most, texts are cut to 256 bytes,
/// numbers that can't be are left out. Errors: decode_failed.
kcontrol::result<node_report> read_node_report(std::string_view text);

}  // namespace training_monitor
