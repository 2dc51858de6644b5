// A GPU's values in slots of time of one length, the last so many of them.
#pragma once

#include "history/metrics.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpu_labeler {

struct slot_layout {
    std::int64_t seconds = 10;
    std::size_t slots = 360;
};

/// The newest slot is that of the last time recorded. Slots in which nothing was measured hold nothing.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class slot_ring {
public:
    explicit slot_ring(slot_layout layout);

    /// Makes the slot of `now` (seconds since the epoch) the newest one. Slots that were passed over are empty, and so
    /// is what an earlier `now` has left in the future.
    void move_to(std::int64_t now);

    /// Counts a value into the newest slot, whose value is the mean of all that were counted into it.
    void add(metric which, double value);

    /// Where the newest slot and the oldest one begin, in seconds since the epoch.
    std::int64_t newest() const noexcept { return newest_ * layout_.seconds; }
    std::int64_t oldest() const noexcept {
        return (newest_ - static_cast<std::int64_t>(layout_.slots) + 1) * layout_.seconds;
    }

    /// The value of the slot that begins at `begin`, or nothing; nothing also outside of oldest() to newest().
    std::optional<float> at(metric which, std::int64_t begin) const noexcept;

    std::int64_t seconds() const noexcept { return layout_.seconds; }
    std::size_t bytes() const noexcept { return values_.capacity() * sizeof(float); }

private:
    std::size_t cell(metric which, std::int64_t slot) const noexcept;
    void clear(std::int64_t from, std::int64_t to);

    slot_layout layout_;
    std::int64_t newest_ = 0;
    bool begun_ = false;
    std::vector<float> values_;  // by metric, then by slot modulo the slots; NaN: nothing
    std::array<std::uint16_t, metrics.size()> counted_{};
};

}  // namespace gpu_labeler
