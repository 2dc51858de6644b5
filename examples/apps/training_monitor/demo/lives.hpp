// The life of one simulated job of each kind, as its operator writes it.
#pragma once

#include "demo/job_lives.hpp"

#include <string>

namespace training_monitor::demo {

inline constexpr job_kind pytorch_kind{"kubeflow.org/v1", "PyTorchJob", "kubeflow.org", "pytorchjobs"};
inline constexpr job_kind mpi_v1_kind{"kubeflow.org/v1", "MPIJob", "kubeflow.org", "mpijobs"};
inline constexpr job_kind mpi_v2beta1_kind{"kubeflow.org/v2beta1", "MPIJob", "kubeflow.org", "mpijobs"};
inline constexpr job_kind train_kind{"trainer.kubeflow.org/v1alpha1", "TrainJob", "trainer.kubeflow.org", "trainjobs"};
inline constexpr job_kind batch_kind{"batch/v1", "Job", "batch", "jobs"};

/// The pod template of a job whose pods ask for so many GPUs.
kcontrol::json::value pod_template(int gpus);

/// From creation to deletion, or until `at.stop`.
kcontrol::awaitable<void> pytorch_life(life_setting at, std::string ns, std::string name);
/// `v2beta1`: the MPI operator's, whose launcher is a batch Job of its own; else the training operator's.
kcontrol::awaitable<void> mpi_life(life_setting at, std::string ns, std::string name, bool v2beta1);
kcontrol::awaitable<void> batch_life(life_setting at, std::string ns, std::string name);
kcontrol::awaitable<void> train_life(life_setting at, std::string ns, std::string name);

}  // namespace training_monitor::demo
