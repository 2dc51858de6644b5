// Which keys a work queue may hand out at the moment: all, or only the more urgent ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// How urgent work is where there is too much of it; it follows from the priority.
enum class work_class : std::uint8_t {
    low,     ///< below 0: first lists and resyncs
    medium,  ///< 0: what events ask for
    high,    ///< above 0
};

constexpr work_class work_class_of(int priority) noexcept {
    if (priority == 0) return work_class::medium;
    return priority < 0 ? work_class::low : work_class::high;
}

constexpr std::string_view to_string(work_class c) noexcept {
    if (c == work_class::medium) return "medium";
    return c == work_class::low ? "low" : "high";
}

/// What may be handed out. By default everything. High work always may.
class admission {
public:
    constexpr admission() = default;
    constexpr admission(bool low, bool medium) : low_(low), medium_(medium) {}  ///< whether each of them may

    /// Whether work of that class may be handed out.
    constexpr bool allows(work_class c) const noexcept {
        if (c == work_class::high) return true;
        return c == work_class::low ? low_ : medium_;
    }
    constexpr bool allows_all() const noexcept { return low_ && medium_; }  ///< whether nothing is held back

    friend constexpr bool operator==(const admission&, const admission&) = default;

private:
    bool low_ = true;
    bool medium_ = true;
};

}  // namespace kcontrol
