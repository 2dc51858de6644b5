// metav1.MicroTime: a timestamp with microseconds, as Leases and Events have.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// A point in time, cut off to microseconds, or none. In JSON it has six digits of fraction.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class micro_time : public timestamp {
public:
    micro_time() noexcept = default;
    /// Cut off to whole microseconds, towards the past.
    explicit micro_time(wall_time at) noexcept : timestamp(std::chrono::floor<std::chrono::microseconds>(at)) {}

    /// Reads as parse_time() does: any fraction, though the API server takes exactly six digits. Errors: see there.
    static result<micro_time> parse(std::string_view text) {
        const auto at = parse_time(text);
        if (!at) return at.error();
        return micro_time(*at);
    }

    wall_time time() const noexcept { return value(); }  ///< the epoch if there is none
    /// `2024-05-01T12:00:00.123456Z`, always UTC and six digits; empty if there is none.
    std::string to_string() const { return present() ? format_micro_time(value()) : std::string(); }
};

static_assert(sizeof(micro_time) == sizeof(timestamp));

}  // namespace kcontrol
