// binding_limit: how many bindings may be on their way before decisions wait for answers.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Counts the bindings that began not long ago. Those that take longer, since a plugin waits or a webhook hangs, hold
/// up no other pod: they count no more. Each begun binding ends once. `now` never goes back from call to call.
///
/// Thread-safety: distinct objects safe.
class binding_limit {
    struct going {
        time_point begun;
        bool is_slow = false;
    };

public:
    using token = std::list<going>::iterator;

    /// A binding counts for that long.
    static constexpr duration patience = std::chrono::seconds(1);

    explicit binding_limit(std::size_t most) : most_(std::max<std::size_t>(most, 1)) {}

    token begin(time_point now) { return fresh_.insert(fresh_.end(), {now}); }  ///< a binding begins
    void end(token of) { (of->is_slow ? slow_ : fresh_).erase(of); }            ///< and ends

    /// Whether decisions are to wait.
    bool is_full(time_point now) {
        while (!fresh_.empty() && now - fresh_.front().begun >= patience) {
            fresh_.front().is_slow = true;
            slow_.splice(slow_.end(), fresh_, fresh_.begin());
        }
        return fresh_.size() >= most_;
    }
    /// When the next one counts no more, if it has not ended by then.
    std::optional<time_point> next_change() const {
        return fresh_.empty() ? std::nullopt : std::optional<time_point>(fresh_.front().begun + patience);
    }

private:
    std::size_t most_;
    std::list<going> fresh_, slow_;  // those that count, the oldest first; and the others
};

}  // namespace kcontrol::scheduling::detail
