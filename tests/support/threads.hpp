// How many threads this process has, as the kernel counts them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace kcontrol::test {

inline std::size_t threads_now() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace kcontrol::test
