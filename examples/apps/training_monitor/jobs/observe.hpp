// From an object of each kind to the normalised job. Pure functions.
//
// Rule order, first hit wins: Failed, Succeeded/Complete, Suspended (and asked to be; Queued
// where a queue of Kueue holds it), Restarting, Running, then what
// the counts say, then Created. A condition holds when its status is "True"; its place in the list means nothing.
#pragma once

#include "jobs/batch_job.hpp"
#include "jobs/job_view.hpp"
#include "jobs/kubeflow_kinds.hpp"
#include "jobs/train_job.hpp"
#include "jobs/training_job.hpp"

#include <string_view>

namespace training_monitor {

observed_job observe(const pytorch_job& job, std::string_view cluster);
observed_job observe(const mpi_job_v1& job, std::string_view cluster);
observed_job observe(const mpi_job_v2beta1& job, std::string_view cluster);
observed_job observe(const train_job& job, std::string_view cluster);
observed_job observe(const training_job& job, std::string_view cluster);
observed_job observe(const batch_job& job, std::string_view cluster);

}  // namespace training_monitor
