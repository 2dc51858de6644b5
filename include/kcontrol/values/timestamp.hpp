// timestamp: metav1.Time and metav1.MicroTime as a member of an object. Eight bytes.
#pragma once

#include <kcontrol/values/time.hpp>

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

namespace kcontrol::inline v0_1 {

/// A point in time, or none. In JSON it is RFC 3339, UTC; whether with a fraction (six digits) is up to the field.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class timestamp {
public:
    timestamp() noexcept = default;
    /// That moment; the smallest that wall_time has means none.
    timestamp(wall_time at) noexcept : biased_(at.time_since_epoch().count() ^ bias) {}  // NOLINT: meant to convert

    bool present() const noexcept { return biased_ != 0; }  ///< false: none, and value() is the epoch
    explicit operator bool() const noexcept { return present(); }
    /// The epoch if there is none.
    wall_time value() const noexcept { return wall_time(duration(present() ? biased_ ^ bias : 0)); }
    /// As metav1.Time writes it; empty if there is none.
    std::string str() const { return present() ? format_time(value()) : std::string(); }

    /// None is earlier than any time.
    friend auto operator<=>(const timestamp& a, const timestamp& b) noexcept {
        return (a.biased_ ^ bias) <=> (b.biased_ ^ bias);
    }
    friend bool operator==(const timestamp&, const timestamp&) = default;
    /// Writes str(): nothing if there is none.
    template <class Stream>
    requires std::derived_from<Stream, std::ostream>
    friend Stream& operator<<(Stream& to, const timestamp& from) {
        to << from.str();
        return to;
    }

private:
    // The default is all zero bits, as that of every type of the model; so the smallest time stands for "none".
    static constexpr std::int64_t bias = std::numeric_limits<std::int64_t>::min();
    std::int64_t biased_ = 0;
};

}  // namespace kcontrol
