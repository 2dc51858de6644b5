// What is remembered of GPUs between two samples.
#pragma once

#include "health/sample.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// Names and XIDs of GPUs, so that one that is lost, or hangs, is still reported by its name. Pure.
///
/// Thread-safety: distinct objects safe, shared objects unsafe.
class known_gpus {
public:
    /// Completes a sample as NVML gave it: GPUs that don't answer get their last names back, all get their XIDs and
    /// their health. While nothing can be asked, because a call hangs or the driver is reloaded, the GPUs known last
    /// are reported as failed, for the sample's reason.
    void complete(node_sample& sample);

    /// Counts an XID of the GPU with this UUID.
    void note_xid(std::string_view uuid, std::uint64_t xid, kcontrol::wall_time when);

private:
    std::map<unsigned, gpu_sample> last_;  // by index; no more than their names
    std::map<std::string, xid_report, std::less<>> xids_;
};

}  // namespace gpu_labeler
