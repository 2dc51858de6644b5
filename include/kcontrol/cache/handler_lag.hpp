// How far a handler is behind its informer.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kcontrol::inline v0_1 {

/// A handler with a queue of its own, at one moment.
class handler_lag {
public:
    std::string name;             ///< handler_options::named()
    std::size_t pending = 0;      ///< events that it has yet to be done with, the one that it is told now included
    duration oldest_age{};        ///< since the oldest of them was observed
    std::uint64_t delivered = 0;  ///< events that it is done with
    std::uint64_t coalesced = 0;  ///< events that it was not told of by themselves, for it was behind
    std::uint64_t full = 0;       ///< times that its queue was full, so that the watch waited
    bool watch_waits = false;     ///< its queue is full now

    /// Handlers that are looked at as one: the sums, and the oldest of all.
    void add(const handler_lag& other) {
        pending += other.pending;
        if (other.oldest_age > oldest_age) oldest_age = other.oldest_age;
        delivered += other.delivered;
        coalesced += other.coalesced;
        full += other.full;
        watch_waits = watch_waits || other.watch_waits;
    }
};

}  // namespace kcontrol
