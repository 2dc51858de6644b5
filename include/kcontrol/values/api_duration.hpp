// metav1.Duration: a length of time as text, "1h2m3s", to and from std::chrono. No days, and nothing longer.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/custom_codec.hpp>

#include <compare>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Reads Go's notation: an optional sign, and numbers with a unit each (h, m, s, ms, us or µs, ns), as in "1h30m",
/// "1.5h" and "-0.5s"; "0" needs none. Finer than a nanosecond is cut off.
/// Errors: invalid_argument, naming the text: another notation, or beyond 64 bits of nanoseconds (292 years).
KCONTROL_DECL result<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// As Go prints it: "1h2m3s", "1.5s", "100ms", "1µs", "0s".
KCONTROL_DECL std::string format_duration(std::chrono::nanoseconds length);

/// A field of type metav1.Duration. (kcontrol::duration is the clock's.)
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class api_duration {
public:
    constexpr api_duration() = default;
    /// Any length, negative ones too.
    constexpr api_duration(std::chrono::nanoseconds length) : length_(length) {}  // NOLINT: meant to convert

    constexpr std::chrono::nanoseconds length() const noexcept { return length_; }  ///< 0 by default

    friend constexpr auto operator<=>(const api_duration&, const api_duration&) = default;

private:
    std::chrono::nanoseconds length_{0};
};

inline std::string to_string(api_duration d) { return format_duration(d.length()); }

template <>
struct custom_codec<api_duration> {
    /// From a string, as parse_duration() reads it. Errors: decode_failed.
    static KCONTROL_DECL result<void> decode(json::node from, api_duration& to);
    static KCONTROL_DECL void encode(const api_duration& from, json::writer& to);  ///< as format_duration() prints it
    static bool empty(const api_duration&) { return false; }                       ///< zero is written too, as "0s"
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/api_duration.ipp>
#endif
