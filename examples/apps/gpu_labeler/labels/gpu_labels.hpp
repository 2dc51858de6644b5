// The labels of a node from its inventory: those of NVIDIA's GPU Feature Discovery.
#pragma once

#include "inventory/inventory.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpu_labeler {

/// How MIG devices are offered to pods, and so labelled: not at all, all as nvidia.com/gpu, each profile under its
/// name.
enum class mig_strategy { none, single, mixed };

/// How the device plugin shares one resource among several pods.
enum class sharing_kind { none, time_slicing, mps };

/// One resource of the device plugin's sharing configuration.
struct shared_resource {
    unsigned replicas = 1;
    bool renamed = false;  ///< to `….shared`, so that the product's name needs no mark

    bool operator==(const shared_resource&) const = default;
};

/// The device plugin's sharing configuration.
struct sharing {
    sharing_kind kind = sharing_kind::none;
    std::map<std::string, shared_resource> resources;  ///< by the resource's name, nvidia.com/gpu

    bool operator==(const sharing&) const = default;
};

class label_options {
public:
    label_options() = default;

    label_options& strategy(mig_strategy s) { return strategy_ = s, *this; }
    label_options& shared(sharing s) { return shared_ = std::move(s), *this; }
    /// The node's model, of DMI.
    label_options& machine(std::string m) { return machine_ = std::move(m), *this; }
    /// Seconds since 1970, for gfd.timestamp; nothing: no such label.
    label_options& started(std::optional<std::int64_t> at) { return started_ = at, *this; }

    mig_strategy strategy() const noexcept { return strategy_; }
    const sharing& shared() const noexcept { return shared_; }
    const std::string& machine() const noexcept { return machine_; }
    const std::optional<std::int64_t>& started() const noexcept { return started_; }

private:
    mig_strategy strategy_ = mig_strategy::none;
    sharing shared_;
    std::string machine_ = "unknown";
    std::optional<std::int64_t> started_;
};

using label_map = std::map<std::string, std::string>;

/// Since when the labels are what they are, in seconds since 1970.
inline constexpr const char* timestamp_label = "nvidia.com/gfd.timestamp";

/// All labels, with values that the API server takes. A node without GPUs that answer has none but gfd.timestamp.
///
/// Where GFD leaves it to chance (several models on a node), the models that are not divided by MIG come first, and
/// among them the lowest index. What GFD has and this has not: vgpu.*.
///
/// Source: https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/README.md
label_map gpu_labels(const inventory& found, const label_options& options);

}  // namespace gpu_labeler
