// The pod of a rank, from the template of its job.
#pragma once

#include "job/training_job.hpp"

namespace training_operator {

/// With names, labels, the environment that torchrun and Weights & Biases read, and what it gets of a node. Of the
/// template's own environment WANDB_… stays; what torchrun reads is the operator's.
api::core::v1::pod make_rank_pod(const training_job& job, std::int32_t number);

/// By which ranks find each other: a host name for each, before they are ready, too.
api::core::v1::service make_rank_service(const training_job& job);

}  // namespace training_operator
