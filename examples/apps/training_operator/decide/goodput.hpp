// How much of the time that jobs have taken is kept as steps.
#pragma once

#include "job/training_job.hpp"

#include <optional>

namespace training_operator {

/// A sum over jobs, weighted by their workers.
class goodput {
public:
    /// From the job's first start to the end of its training, or now. What runs counts as kept until it is lost.
    void add(const training_job& job, wall_time now);
    /// From 0 to 1; nothing: no job has begun.
    std::optional<double> ratio() const;

private:
    double kept_ = 0, all_ = 0;
};

}  // namespace training_operator
