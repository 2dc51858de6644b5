// How the labeler's loop fares, for /readyz, /metrics and the log.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gpu_labeler {

struct labeler_status {
    std::uint64_t reads = 0;
    std::uint64_t read_failures = 0;
    std::uint64_t looks = 0;  ///< questions what is there; they change nothing
    std::uint64_t writes = 0;
    std::uint64_t store_failures = 0;  ///< of looks and writes
    std::optional<kcontrol::wall_time> last_read;
    std::optional<kcontrol::wall_time> last_write;
    kcontrol::duration last_read_took{};
    kcontrol::duration last_write_took{};
    std::string read_error;   ///< why the GPUs can't be read now; empty: they can
    std::string store_error;  ///< why the marks can't be written now
    std::size_t gpus = 0;     ///< that answer
    std::size_t lost = 0;     ///< that are there and don't
    std::size_t labels = 0;   ///< that there should be
    std::size_t refused = 0;  ///< of these that nobody takes; the others are written
    bool settled = false;     ///< what is there is what should be
    bool keeps_old = false;   ///< the labels are those of GPUs that can't be read now
};

}  // namespace gpu_labeler
