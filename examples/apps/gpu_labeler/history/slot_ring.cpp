#include "history/slot_ring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpu_labeler {
namespace {

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

// Rounds down before 1970, too.
std::int64_t slot_of(std::int64_t seconds, std::int64_t length) {
    return seconds / length - (seconds % length < 0 ? 1 : 0);
}

}  // namespace

slot_ring::slot_ring(slot_layout layout) : layout_(layout), values_(metrics.size() * layout.slots, nothing) {}

std::size_t slot_ring::cell(metric which, std::int64_t slot) const noexcept {
    const auto slots = static_cast<std::int64_t>(layout_.slots);
    const auto place = ((slot % slots) + slots) % slots;
    return static_cast<std::size_t>(which) * layout_.slots + static_cast<std::size_t>(place);
}

// The slots from `from` to `to`, both included; no more than there are.
void slot_ring::clear(std::int64_t from, std::int64_t to) {
    const auto count = std::min(to - from + 1, static_cast<std::int64_t>(layout_.slots));
    for (const auto& m : metrics) {
        for (std::int64_t i = 0; i < count; ++i) values_[cell(m.which, from + i)] = nothing;
    }
}

void slot_ring::move_to(std::int64_t now) {
    const auto slot = slot_of(now, layout_.seconds);
    if (begun_ && slot == newest_) return;
    if (begun_) {
        // Forward: what lies between is empty. Back: the cells of the future are those of the oldest slots now. Either
        // way the slot that becomes the newest begins anew when time goes on, and keeps its mean when it goes back.
        if (slot > newest_) {
            clear(newest_ + 1, slot);
        } else {
            clear(slot + 1, newest_);
        }
    }
    newest_ = slot;
    begun_ = true;
    // After a step back the slot's old mean counts as one value.
    for (const auto& m : metrics) {
        counted_[static_cast<std::size_t>(m.which)] = std::isnan(values_[cell(m.which, slot)]) ? 0 : 1;
    }
}

void slot_ring::add(metric which, double value) {
    if (!std::isfinite(value)) return;
    auto& count = counted_[static_cast<std::size_t>(which)];
    if (count < std::numeric_limits<std::uint16_t>::max()) ++count;
    auto& mean = values_[cell(which, newest_)];
    mean = count == 1 ? static_cast<float>(value) : static_cast<float>(mean + (value - mean) / count);
}

std::optional<float> slot_ring::at(metric which, std::int64_t begin) const noexcept {
    const auto slot = slot_of(begin, layout_.seconds);
    if (!begun_ || slot > newest_ || slot <= newest_ - static_cast<std::int64_t>(layout_.slots)) return std::nullopt;
    const float value = values_[cell(which, slot)];
    return std::isnan(value) ? std::nullopt : std::optional<float>(value);
}

}  // namespace gpu_labeler
