// Whose turn it is to start again, so that a hundred gangs that lose their nodes at once do not stampede.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace training_operator {

enum class urgency { low, medium, high };

/// Of a PriorityClass: 1000 and more is high, 0 and more medium.
constexpr urgency urgency_of(std::int32_t priority) {
    return priority >= 1000 ? urgency::high : priority >= 0 ? urgency::medium : urgency::low;
}

class restart_limits {
public:
    std::size_t at_once = 16;                     ///< gangs that start again at a time, medium and low together
    std::size_t per_store = 4;                    ///< of these, at one checkpoint store
    double medium_yields = 0.6, low_parks = 1.5;  ///< at this pressure
    kcontrol::duration longest = std::chrono::seconds(60);          ///< that pressure holds one back
    kcontrol::duration hold = std::chrono::seconds(10);             ///< of a turn whose gang does not run by then
    kcontrol::duration ask_again = std::chrono::milliseconds(500);  ///< of one that waits
};

/// A plain state machine. A gang that is to start again asks, and again after ask_again, until it has its turn. The
/// turn ends when done() says that its gang runs, or after `hold`: a gang without nodes waits for these, and holds
/// nobody up.
///
/// - High never waits. Of the others high ones come first, then the longest waiting.
/// - At the pressure medium_yields medium and low have half of at_once; at low_parks low ones have none.
/// - A gang that has waited for `longest` is held back by no pressure.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class restart_turns {
public:
    explicit restart_turns(restart_limits limits = {}) : limits_(limits) {}

    /// Whether that gang may start now. `store`: of its checkpoint; empty: it asks none.
    bool ask(const std::string& uid, urgency how, const std::string& store, double pressure, kcontrol::time_point now);
    /// It runs, or will not start.
    void done(const std::string& uid);

    const restart_limits& limits() const noexcept { return limits_; }

private:
    struct gang_entry {
        urgency how = urgency::medium;
        std::string store;
        kcontrol::time_point since{}, seen{};
    };
    void expire(kcontrol::time_point now);

    restart_limits limits_;
    std::map<std::string, gang_entry> waiting_, granted_;
};

}  // namespace training_operator
