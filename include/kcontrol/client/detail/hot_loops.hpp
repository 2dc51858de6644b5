// Which objects a client writes again and again. A pure state machine: writes and times in, objects to report out.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A hash of what identifies an object.
KCONTROL_DECL std::uint64_t object_hash(std::string_view group, std::string_view kind, std::string_view namespace_,
                                        std::string_view name) noexcept;

/// Counts the writes of each object over the last minute, in steps of five seconds from its first one.
///
/// Its memory is one table of 16 KiB, which is made with the first write: four objects for each remainder of the hash.
/// An object that is written at the pace of the limit keeps its place; one that is slower gives it up to the next.
/// Where all places are taken by busy objects, another one is not counted: of many objects in a loop some are reported,
/// and no object is reported that is not.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class hot_loops {
public:
    static constexpr duration window = std::chrono::minutes(1);
    /// How long a reported object must stay within the limit before it is reported again.
    static constexpr duration quiet = std::chrono::minutes(5);

    /// `limit`: writes of an object within a minute that are in order. 0: nothing is counted.
    explicit hot_loops(std::uint32_t limit) : limit_(limit) {}

    std::uint32_t limit() const noexcept { return limit_; }

    /// An object was written. If it shall be reported now, how often it was within the last minute.
    KCONTROL_DECL std::optional<std::uint32_t> wrote(std::uint64_t object, time_point now);

private:
    static constexpr std::size_t steps = 12, sets = 64, ways = 4;
    static constexpr duration step = window / steps;

    /// One object. Its steps are counted from `since`; counts[n % steps] is that of step n.
    class entry {
    public:
        std::uint64_t object = 0;
        time_point since{}, last{}, hot{};          // `hot`: when it was last beyond the limit
        std::array<std::uint16_t, steps> counts{};  // none goes beyond its largest value
        std::uint32_t at = 0;                       // the step of the newest count
        bool used = false, was_hot = false;
    };

    entry* find(std::uint64_t object, time_point now);
    bool may_go(const entry& one, time_point now) const;
    static bool is_hot(const entry& one, time_point now);
    static void advance(entry& one, time_point now);
    static std::uint32_t sum(const entry& one);

    std::uint32_t limit_;
    std::vector<entry> table_;  // sets of `ways`, one after the other
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/hot_loops.ipp>
#endif
