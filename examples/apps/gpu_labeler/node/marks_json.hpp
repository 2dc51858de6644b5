// Marks as the API server has them: which are ours in an object, and the text that makes them so.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "node/node_marks.hpp"

#include <string>
#include <string_view>

namespace gpu_labeler {

/// The name under which the API server knows what this program wrote (server-side apply's field manager).
inline constexpr std::string_view field_manager = "kcontrol-gpu-labeler";

/// The members of `object.SECTION.MEMBER` that this program has applied and that nobody took over since, with the
/// values that they have.
///
/// Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
label_map ours_in(const kcontrol::json::value& object, std::string_view section, std::string_view member);

/// Labels and annotations of a Node that are ours.
node_marks marks_of_node(const kcontrol::json::value& node);
/// Labels that a NodeFeature asks for, and that are ours.
node_marks marks_of_node_feature(const kcontrol::json::value& feature);

/// What to apply to a Node: its labels and annotations as far as they are ours.
std::string node_text(const node_marks& marks);

/// What to apply to a NodeFeature, from which Node Feature Discovery makes the node's labels. It has no place for
/// annotations.
/// Source: https://kubernetes-sigs.github.io/node-feature-discovery/stable/usage/custom-resources.html
std::string node_feature_text(std::string_view node, const node_marks& marks);

}  // namespace gpu_labeler
