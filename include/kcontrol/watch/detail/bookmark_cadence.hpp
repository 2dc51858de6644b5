// How often a server sends bookmarks, learned from those that came: a watch that misses several is half-open.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace kcontrol::inline v0_1::detail {

/// Learns from the gaps between the bookmarks of one watch, and keeps what it knows for the next ones. The longest of
/// the last gaps counts, for a server sends one more before it ends a watch. Those that come at once have waited for
/// their reader, and say nothing.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class bookmark_cadence {
public:
    /// However often bookmarks come, a silence of less is none.
    static constexpr duration least_patience = std::chrono::seconds(15);

    /// Another watch: the time until its first bookmark says nothing.
    void opened() {
        last_.reset();
        had_waited_ = false;
    }
    KCONTROL_DECL void bookmark(time_point now);

    /// Nothing before there were two in one watch.
    KCONTROL_DECL std::optional<duration> period() const;

    /// How long a watch may be silent: three periods, and `most` at most.
    KCONTROL_DECL duration patience(duration most) const;

private:
    std::array<duration, 4> gaps_{};
    std::size_t count_ = 0;  // of gaps, ever
    std::optional<time_point> last_;
    bool had_waited_ = false;  // the last one: how long before the next it was sent nobody knows
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/bookmark_cadence.ipp>
#endif
