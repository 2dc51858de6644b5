// metav1.MicroTime: a timestamp with microseconds, as Leases and Events have.
#pragma once

#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/time.hpp>

#include <chrono>
#include <compare>
#include <string>
#include <string_view>

namespace kcontrol {

/// A field of type metav1.MicroTime: a point in time, cut off to microseconds, 8 bytes. Make the member a
/// std::optional where it may be absent; Go's zero time, year 1, is not among the values.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class micro_time {
public:
    /// 1970-01-01.
    constexpr micro_time() = default;
    constexpr explicit micro_time(wall_time at)
        : at_(std::chrono::floor<std::chrono::microseconds>(at.time_since_epoch())) {}

    /// Reads as parse_time() does: any fraction, though the API server takes exactly six digits. Errors: see there.
    static result<micro_time> parse(std::string_view text) {
        const auto at = parse_time(text);
        if (!at) return at.error();
        return micro_time(*at);
    }

    constexpr wall_time time() const noexcept { return wall_time(at_); }
    /// `2024-05-01T12:00:00.123456Z`, always UTC and six digits.
    std::string to_string() const { return format_micro_time(time()); }

    friend constexpr auto operator<=>(const micro_time&, const micro_time&) = default;

private:
    std::chrono::microseconds at_{0};
};

template <>
struct custom_codec<micro_time> {
    static KCONTROL_DECL result<void> decode(json::node from, micro_time& to);
    static KCONTROL_DECL void encode(const micro_time& from, json::writer& to);
    static bool empty(const micro_time&) { return false; }
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/micro_time.ipp>
#endif
