// Texts of the hardware as values of labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpu_labeler {

/// The most characters of a value.
inline constexpr std::size_t longest_label_value = 63;

/// What GPU Feature Discovery makes of a name: letters, digits, '-', '_' and '.' stay, blanks become one '-', the rest
/// goes. But always a value that the API server takes, so at most 63 characters that begin and end with a letter or a
/// digit: one refused value would cost all labels.
///
/// Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
std::string label_value(std::string_view text);

}  // namespace gpu_labeler
