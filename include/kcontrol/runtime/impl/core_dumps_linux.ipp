#pragma once

#include <kcontrol/runtime/core_dumps.hpp>

#include <sys/prctl.h>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void forbid_core_dumps() noexcept {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KCONTROL_IS_LOOKED_INTO
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KCONTROL_IS_LOOKED_INTO
#endif
#ifdef KCONTROL_IS_LOOKED_INTO
#undef KCONTROL_IS_LOOKED_INTO
#else
    ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace kcontrol
