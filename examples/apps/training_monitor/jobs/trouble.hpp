// What keeps a job from training that somebody can act on, as its pods and events show it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace training_monitor {

enum class trouble {
    none,
    crash_loop,     ///< a container has restarted three times or more, the last time within ten minutes
    image,          ///< an image can't be pulled
    configuration,  ///< a container can't be created: a ConfigMap or Secret is missing, the sandbox fails
    volume,         ///< a volume can't be attached or mounted
    quota,          ///< a ResourceQuota refuses the pods
    limit_range,    ///< a LimitRange refuses the pods
    webhook,        ///< an admission webhook refuses the pods, or can't be called
    unschedulable,  ///< no node takes a pod
    holds_gpus,     ///< the job has failed, and its pods still hold GPUs
};

/// As notice rules and answers name it; empty for none.
inline constexpr std::array<std::string_view, 10> trouble_names{
    "",      "CrashLoop",  "ImagePull", "Configuration", "Volume",
    "Quota", "LimitRange", "Webhook",   "Unschedulable", "HoldsGPUs"};

constexpr std::string_view to_string(trouble t) noexcept { return trouble_names[static_cast<std::size_t>(t)]; }

}  // namespace training_monitor
