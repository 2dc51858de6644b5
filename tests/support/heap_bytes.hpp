// What of the heap is in use, in bytes; under ASan its own allocator tells.
#pragma once

#include "sanitizers.hpp"

#include <cstddef>
#include <malloc.h>

#if KCONTROL_TEST_UNDER_ASAN
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace kcontrol::test {

inline std::size_t heap_bytes() {
#if KCONTROL_TEST_UNDER_ASAN
    return __sanitizer_get_current_allocated_bytes();
#else
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
#endif
}

}  // namespace kcontrol::test
