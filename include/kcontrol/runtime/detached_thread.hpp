// A thread for one call that may block, perhaps for ever, and that nothing can interrupt.
#pragma once

#include <kcontrol/config.hpp>

#include <functional>

namespace kcontrol {

/// Runs `work` on a thread of its own, for which nobody waits: it must touch nothing that may be gone by then, and not
/// throw. All signals are blocked in it; they are the program's, and its threads get them.
///
/// Throws std::system_error if the system has no thread to give.
KCONTROL_DECL void run_detached(std::function<void()> work);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/detached_thread.ipp>
#endif
