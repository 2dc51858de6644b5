// What waits to be pushed: bounded, oldest first. A plain state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace gpu_labeler {

/// Samples as lines. Where there are too many the oldest go.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class push_queue {
public:
    explicit push_queue(std::size_t most_bytes = std::size_t{1} << 20,
                        std::size_t most_in_a_batch = std::size_t{256} << 10)
        : most_bytes_(most_bytes), most_in_a_batch_(most_in_a_batch) {}

    /// One more sample, of at most `most_bytes`; a larger one is dropped.
    void add(std::string lines);

    /// The oldest samples, as many as one request takes and at least one; empty if none waits. They stay until done().
    std::string batch();
    /// Those of the last batch are gone: they were taken, or nobody ever will.
    void done(bool taken);

    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t bytes() const noexcept { return bytes_; }
    /// Samples since the beginning: those that were taken, and those that were not and are gone.
    std::uint64_t taken() const noexcept { return taken_; }
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    void drop_oldest();

    std::size_t most_bytes_;
    std::size_t most_in_a_batch_;
    std::deque<std::string> waiting_;
    std::size_t in_batch_ = 0;  // so many of the oldest
    std::size_t bytes_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace gpu_labeler
