// What a work queue counts.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>

namespace kcontrol::inline v0_1 {

/// What a work queue has counted since it was made.
struct workqueue_counters {
    std::uint64_t adds = 0;     ///< keys that became ready (an add of a ready key does not count)
    std::uint64_t retries = 0;  ///< adds with a delay
};

/// The same of one priority, and what is queued with it now.
struct priority_counters {
    explicit priority_counters(int p) : priority(p) {}  ///< nothing was counted yet

    int priority;               ///< means nothing where `others` is set
    bool others = false;        ///< all priorities together that are not counted by themselves
    std::size_t depth = 0;      ///< keys that wait to be handed out, neither delayed nor in processing
    std::uint64_t adds = 0;     ///< as workqueue_counters::adds
    std::uint64_t retries = 0;  ///< as workqueue_counters::retries
};

/// Work that was begun and is not done.
class unfinished_work {
public:
    unfinished_work(int p, duration d) : priority(p), since(d) {}  ///< priority, and for how long
    int priority;                                                  ///< with which it was handed out
    duration since;                                                ///< how long it has been in processing
};

}  // namespace kcontrol
