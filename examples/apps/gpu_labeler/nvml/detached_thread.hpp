// A thread for one call that may block, perhaps for ever, and that nothing can interrupt.
#pragma once

#include <functional>

namespace gpu_labeler {

/// Runs `work` on a thread of its own, for which nobody waits: it must touch nothing that may be gone by then, and not
/// throw. All signals are blocked in it; they are the program's, and its threads get them.
///
/// Throws std::system_error if the system has no thread to give.
void run_detached(std::function<void()> work);

}  // namespace gpu_labeler
