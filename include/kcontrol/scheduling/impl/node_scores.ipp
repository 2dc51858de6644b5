#pragma once

#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL void normalize_by_greatest(std::span<std::int64_t> scores, score_order order) {
    const bool reversed = order == score_order::fewer_is_better;
    std::int64_t greatest = 0;
    for (const auto score : scores) greatest = std::max(greatest, score);
    for (auto& score : scores) {
        const std::int64_t scaled = greatest == 0 ? 0 : percentage(score, greatest);
        score = reversed ? max_node_score - scaled : scaled;
    }
}

KCONTROL_DECL std::int64_t percentage(std::int64_t part, std::int64_t whole) {
    constexpr std::int64_t exact = std::numeric_limits<std::int64_t>::max() / max_node_score;
    // Beyond 2^63/100 the last two digits decide nothing that is seen.
    return part <= exact ? part * max_node_score / whole : part / (whole / max_node_score);
}

}  // namespace kcontrol::scheduling
