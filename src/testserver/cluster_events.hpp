// The Events that a server's own controllers write, as client-go's recorder makes them. Pure.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace kcontrol::inline v0_1::testing {

/// What a controller has to say about an object.
class event_note {
public:
    json::value about;      ///< the object, whole
    bool warning = false;   ///< type Warning, else Normal
    std::string reason;     ///< "FailedScheduling"
    std::string message;    ///< for people
    std::string component;  ///< who says it: "job-controller"
    std::string action;     ///< what was done; of those who write Events of events.k8s.io, as the scheduler does
};

/// Makes core/v1 Events of notes. A note that is repeated within ten minutes counts up the Event that there is.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class event_maker {
public:
    /// The Event to be written at `now`: a new one with count 1; else it replaces that of its name, if that is there.
    json::value make(const event_note& note, wall_time now);

private:
    using key = std::tuple<std::string, bool, std::string, std::string, std::string>;
    class known_event {
    public:
        std::string name, first, first_micro;
        std::int64_t count = 0;
        wall_time last;
    };

    std::map<key, known_event> known_;
    std::uint64_t made_ = 0;
};

}  // namespace kcontrol::testing
