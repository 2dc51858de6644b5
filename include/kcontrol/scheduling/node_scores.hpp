// The scale of scores, and how plugins bring their counts onto it.
#pragma once

#include <kcontrol/config.hpp>

#include <cstdint>
#include <span>

namespace kcontrol::inline v0_1::scheduling {

inline constexpr std::int64_t max_node_score = 100;  ///< the best score that a plugin gives; the worst is 0

/// Which counts are better.
enum class score_order : std::uint8_t { more_is_better, fewer_is_better };

/// Brings counts to 0…max_node_score: in proportion to the greatest one, which gets the best score or the worst.
/// If all counts are 0, all nodes get 0, or the best score where fewer is better. No count is negative.
KCONTROL_DECL void normalize_by_greatest(std::span<std::int64_t> scores, score_order order);

/// `part` of `whole` in hundredths, rounded down: 0…max_node_score if `part` is between 0 and `whole`. `whole` is above
/// 0.
KCONTROL_DECL std::int64_t percentage(std::int64_t part, std::int64_t whole);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_scores.ipp>
#endif
