// A node's GPUs as /api/v1/gpus tells them.
#pragma once

#include "health/sample.hpp"
#include "inventory/inventory.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// "ok", "no-driver", …
std::string_view to_string(reader_state state) noexcept;
std::string_view to_string(gpu_health health) noexcept;

/// The text of the answer, ended by a line feed. What nobody tells is null. `found` gives a GPU by its UUID, or
/// nullptr; how it is divided comes from there.
std::string gpus_json(std::string_view node, const node_sample& sample,
                      const std::function<const gpu*(const std::string&)>& found);

}  // namespace gpu_labeler
