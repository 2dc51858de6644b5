// For main() of a program that holds credentials: its memory is written nowhere when it crashes.
#pragma once

#include <kcontrol/config.hpp>

namespace kcontrol::inline v0_1 {

/// From now on no core of this process is dumped, and other programs of the same user can't look into it; root can, and
/// so can a debugger that started it. Call it first in main(), before a credential is read: a dump holds all of them,
/// and is kept by whoever collects dumps. Programs that are compiled with AddressSanitizer are left as they are, for
/// LeakSanitizer looks into them.
///
/// Thread-safety: any thread; it holds for the process.
/// Source: prctl(2), PR_SET_DUMPABLE.
KCONTROL_DECL void forbid_core_dumps() noexcept;

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/core_dumps_linux.ipp>
#endif
