// How a key is added to a work queue: when, and how urgent it is.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <optional>

namespace kcontrol::inline v0_1 {

/// The priority of what nobody waits for: the objects of a first list, and resyncs. The same as controller-runtime's.
inline constexpr int low_priority = -100;

/// What an add says beside the key. The default: ready now, with the priority of its place (0, if nothing says other).
class add_options {
public:
    add_options() = default;
    /// Higher is sooner. Of a key that is queued already the higher one counts.
    add_options& priority(int p) { return priority_ = p, *this; }
    /// Not before this time has passed; zero or less: now.
    add_options& after(duration d) { return after_ = d, *this; }
    /// Counts a failure of the key, and waits as the rate limiter says; with after(), the shorter of the two.
    add_options& rate_limited(bool yes = true) { return rate_limited_ = yes, *this; }

    const std::optional<int>& priority() const noexcept { return priority_; }
    duration after() const noexcept { return after_; }
    bool rate_limited() const noexcept { return rate_limited_; }

private:
    std::optional<int> priority_;
    duration after_{};
    bool rate_limited_ = false;
};

}  // namespace kcontrol
