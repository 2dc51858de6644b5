// The configuration file: what the flags say, as YAML, and how GPUs are shared.
#pragma once

#include "options.hpp"

namespace gpu_labeler {

/// Reads `text` into `o`. Its keys are the flags' names in camelCase (`migStrategy: mixed`, `noTimestamp: true`);
/// `sharing` is as in the configuration of NVIDIA's device plugin. That file itself is understood as well: of it
/// `version`, `sharing` and flags.migStrategy, flags.gfd.noTimestamp and flags.gfd.machineTypeFile count, the rest of
/// `flags`, and `resources`, is the plugin's.
///
/// Errors: invalid_argument, naming the key, the value and what would be right; decode_failed for what is no YAML.
///
/// Source: https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus
kcontrol::result<void> read_config(options& o, std::string_view text);

}  // namespace gpu_labeler
