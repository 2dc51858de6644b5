// Which specifications are refused: all that KubeRay refuses, and what it would serve badly.
#pragma once

#include "api/ray_job.hpp"

#include <optional>
#include <string>

namespace ray_operator {

/// Why an object is not served.
class invalid_spec {
public:
    /// A field, its value as people read it, and what to do.
    invalid_spec(std::string f, std::string v, std::string r)
        : field(std::move(f)), value(std::move(v)), remedy(std::move(r)) {}
    /// "spec.workerGroupSpecs[0].replicas: -1: give 0 or more".
    std::string text() const { return field + ": " + value + ": " + remedy; }

    std::string field, value, remedy;
};

/// The first thing that is wrong with a cluster, or nothing.
std::optional<invalid_spec> check(const ray_cluster& cluster);
/// The same of a job; `cluster` is its rayClusterSpec, null where it has none or where that does not decode.
std::optional<invalid_spec> check(const ray_job& job, const ray_cluster_spec* cluster);

/// Whether a resource is a GPU to Ray: its name ends in "gpu", or is one of NVIDIA's MIG profiles.
/// Source: KubeRay, utils/resources.go.
bool is_gpu(std::string_view resource);

}  // namespace ray_operator
