// A node's GPUs as /api/v1/gpus tells them.
#pragma once

#include "health/sample.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// "ok", "no-driver", …
std::string_view to_string(reader_state state) noexcept;
std::string_view to_string(gpu_health health) noexcept;

/// By UUID, whether GPUs that can be divided into slices are.
using mig_modes = std::map<std::string, bool, std::less<>>;

/// The text of the answer, ended by a line feed. What nobody tells is null.
std::string gpus_json(std::string_view node, const node_sample& sample, const mig_modes& modes);

}  // namespace gpu_labeler
