// How fast NVLinks carry data: what their counters went up by between two samples.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "health/sample.hpp"

#include <map>
#include <string>

namespace gpu_labeler {

/// Pure: samples and time in, rates out.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class nvlink_rates {
public:
    /// Adds the rates to a sample that was taken at `now`. There is none for a GPU's first sample, for one after a time
    /// in which it could not be asked, and for one whose counter went back (the GPU was reset).
    void complete(node_sample& sample, kcontrol::time_point now);

private:
    struct counters {
        kcontrol::time_point at{};
        nvlink_sample links;
    };

    std::map<std::string, counters> last_;  // by UUID
};

}  // namespace gpu_labeler
