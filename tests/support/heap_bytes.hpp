// What of the heap is in use, in bytes; under ASan its own allocator tells.
#pragma once

#include <cstddef>
#include <malloc.h>

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace kcontrol::test {

inline std::size_t heap_bytes() {
#if defined(__SANITIZE_ADDRESS__)
    return __sanitizer_get_current_allocated_bytes();
#else
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
#endif
}

}  // namespace kcontrol::test
