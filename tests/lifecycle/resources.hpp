// What this process holds: memory, descriptors, threads.
#pragma once

#include "support/how_much.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <malloc.h>

namespace kcontrol::test {

#if KCONTROL_TEST_UNDER_ASAN || KCONTROL_TEST_UNDER_TSAN
inline constexpr int usual_cycles = 100;
#elif defined(NDEBUG)
inline constexpr int usual_cycles = 10'000;
#else
inline constexpr int usual_cycles = 1'000;
#endif

/// How often something is started and stopped; KCONTROL_LIFECYCLES says otherwise.
inline int many_cycles() { return std::max(1, static_cast<int>(asked_for("KCONTROL_LIFECYCLES", usual_cycles))); }

class resources {
public:
    static resources now() {
        resources out;
        // Sanitizers have an allocator of their own, and look for leaks themselves.
        if (!under_sanitizer) out.bytes = static_cast<std::ptrdiff_t>(::mallinfo2().uordblks);
        out.descriptors = entries("/proc/self/fd");
        out.threads = entries("/proc/self/task");
        return out;
    }

    std::ptrdiff_t bytes = 0;
    std::ptrdiff_t descriptors = 0, threads = 0;

private:
    static std::ptrdiff_t entries(const char* directory) {
        return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
    }
};

}  // namespace kcontrol::test
