// Names that were perhaps meant where one does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inference_autoscaler {

/// Up to three of `known` that differ from `wanted` by at most a third of its letters, the nearest first.
std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& known);

/// "no metric NAME; near: …", for people. Without near names it says so.
std::string never_seen_words(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace inference_autoscaler
