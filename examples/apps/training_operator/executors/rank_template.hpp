// The pods of ranks, from the template of their job.
#pragma once

#include "job/training_job.hpp"

namespace training_operator {

/// What all ranks have in common: labels, what there is to work on, and what each gets of a node. Of the template's own
/// environment WANDB_… stays.
api::core::v1::pod_template_spec make_template(const training_job& job);

/// The environment that torchrun reads, in place of the template's own, and a host name for each rank. RANK is the
/// index that an Indexed Job gives to the pod.
void give_rendezvous(const training_job& job, api::core::v1::pod_spec& to);

/// The whole pod of a rank: with a name, and where the job has a queue, as one of a group that waits for it.
api::core::v1::pod make_rank_pod(const training_job& job, std::int32_t number);

/// By which ranks find each other: a host name for each, before they are ready, too.
api::core::v1::service make_rank_service(const training_job& job);

/// What there is to work on: DATASET_VERSION, and RESUME_… of the newest good checkpoint.
void give_data(const training_job& job, list<api::core::v1::env_var>& to);

/// Of each rank, as torchrun counts them: one for each accelerator.
std::int32_t processes_of(const training_job& job);

}  // namespace training_operator
