// What the GPUs measure, for Prometheus.
#pragma once

#include "health/sample.hpp"

#include <string>
#include <string_view>

namespace gpu_labeler {

/// The sample in Prometheus' text format: under dcgm-exporter's names, with its HELP and TYPE and its labels, so that
/// its dashboards and alerts work; and under names that begin with kcontrol_gpu_ what it has not. What a GPU does not
/// tell is left out.
///
/// A GPU that several containers share has each series once for each of them, as there. One that is divided has its
/// memory as series of its parts (GPU_I_PROFILE, GPU_I_ID), and not besides as its own, so that sums are right; all
/// else is told once, of the GPU. What begins with kcontrol_gpu_ is of the GPU, once, without containers.
std::string dcgm_metrics(const node_sample& node, std::string_view hostname);

}  // namespace gpu_labeler
