// Nodes and pods by a seed, for tests of schedulers.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// What make_random_cluster() makes.
class random_cluster_options {
public:
    /// From so many to so many. Default 3 to 20.
    random_cluster_options& nodes(int least, int most) { return least_ = least, most_ = most, *this; }
    /// How many pods there are, members of gangs among them. Default 20.
    random_cluster_options& pods(int count) { return pods_ = count, *this; }
    /// How many of the gangs that kcontrol::scheduling reads from labels. A gang that would have no two members left of
    /// the pods is left out. Default 0.
    random_cluster_options& gangs(int count) { return gangs_ = count, *this; }
    /// The spec.schedulerName of all pods. Default "default-scheduler".
    random_cluster_options& scheduler_name(std::string name) { return scheduler_name_ = std::move(name), *this; }

    int least_nodes() const noexcept { return least_; }                             ///< default 3
    int most_nodes() const noexcept { return most_; }                               ///< default 20
    int pods() const noexcept { return pods_; }                                     ///< default 20
    int gangs() const noexcept { return gangs_; }                                   ///< default 0
    const std::string& scheduler_name() const noexcept { return scheduler_name_; }  ///< default "default-scheduler"

private:
    int least_ = 3, most_ = 20, pods_ = 20, gangs_ = 0;
    std::string scheduler_name_ = "default-scheduler";
};

/// Objects that an API server accepts, real or in-process, in this order. None has a uid.
class random_cluster {
public:
    std::vector<json::value> namespaces;        ///< random-a and random-b, with different labels
    std::vector<json::value> priority_classes;  ///< random-low and random-high
    /// node-0, node-1…, with allocatable resources and images. Some have labels of a zone and of a disk, GPUs, taints,
    /// or spec.unschedulable.
    std::vector<json::value> nodes;
    /// pod-0, pod-1…, without a node. Some have extended resources, init containers, sidecars, selectors, required and
    /// preferred affinities to nodes and to pods, tolerations, host ports, spread constraints, or a priority.
    std::vector<json::value> pods;
};

/// The same seed and options give the same cluster everywhere. Pods want less of the nodes than there is, so that most
/// of them fit somewhere.
/// Thread-safety: safe.
random_cluster make_random_cluster(std::uint64_t seed, const random_cluster_options& options = {});

}  // namespace kcontrol::testing
