// What is remembered where no file keeps it: within bounds, however long the program runs. memory/ has its own.
#pragma once

#include "history/history.hpp"

#include <cstddef>

namespace training_monitor {

/// So many jobs that are gone are kept at most: some 1.5 KiB each, with their states.
inline constexpr std::size_t most_gone = 10'000;
/// And so many that are not in view altogether. Those of a cluster that left may come back; what happened meanwhile is
/// found out only as long as they are remembered.
inline constexpr std::size_t most_out_of_view = 10 * most_gone;

/// Forgets the jobs that went out of view before `before`, and the oldest of the others as far as they are too many.
inline void keep_within(history& past, kcontrol::wall_time before, std::size_t gone = most_gone,
                        std::size_t out_of_view = most_out_of_view) {
    past.forget(before, past.size());
    if (past.gone() > gone) past.forget(kcontrol::wall_time::max(), past.gone() - gone, history::forgettable::gone);
    const std::size_t left = past.out_of_view();
    if (left > out_of_view) past.forget(kcontrol::wall_time::max(), left - out_of_view);
}

}  // namespace training_monitor
