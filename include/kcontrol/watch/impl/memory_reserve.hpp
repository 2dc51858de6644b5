// Some memory that is given back when there is none left, so that what is left to do then can be done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace kcontrol::inline v0_1::detail {

/// One block for the whole process, of which nothing is ever written, so that it costs addresses and hardly a page. It
/// matters where addresses are limited (ulimit -v, overcommit_memory=2); a control group's limit kills instead.
///
/// Thread-safety: safe.
class memory_reserve {
public:
    /// There is that much again: enough to say what is wrong, to wait, and to answer some requests meanwhile.
    static constexpr std::size_t bytes = std::size_t{256} << 10;

    static void release() noexcept { std::free(block().exchange(nullptr)); }

    /// Does nothing where it is there, or where there is still no memory.
    static void refill() noexcept {
        if (block().load(std::memory_order_relaxed) != nullptr) return;
        void* expected = nullptr;
        void* const fresh = std::malloc(bytes);
        if (!block().compare_exchange_strong(expected, fresh)) std::free(fresh);
    }

private:
    static std::atomic<void*>& block() noexcept {
        static std::atomic<void*> the_block{nullptr};
        return the_block;
    }
};

}  // namespace kcontrol::detail
