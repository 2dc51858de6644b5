// What is remembered where no file keeps it: within bounds, however long the program runs. (memory/ has its own
// bounds.)
#pragma once

#include "history/history.hpp"

#include <cstddef>

namespace training_monitor {

/// So many jobs that are not in view are kept at most: some kilobytes each, with their states and labels.
inline constexpr std::size_t most_out_of_view = 10'000;

/// Forgets the jobs that went out of view before `before`, and the oldest of the others as far as they are more than
/// `most`.
inline void keep_within(history& past, kcontrol::wall_time before, std::size_t most = most_out_of_view) {
    past.forget(before, past.size());
    const std::size_t left = past.out_of_view();
    if (left > most) past.forget(kcontrol::wall_time::max(), left - most);
}

}  // namespace training_monitor
