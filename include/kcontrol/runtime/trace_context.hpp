// Where a span stands among all others: W3C's trace context, which goes from one program to the next as a header, or as
// an annotation of an object.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The name of the header.
inline constexpr std::string_view traceparent_header = "traceparent";

/// A trace, a span of it, and whether somebody records it. Source: https://www.w3.org/TR/trace-context/
class trace_context {
public:
    using trace_id_type = std::array<std::uint8_t, 16>;  ///< in the order in which the header has the bytes
    using span_id_type = std::array<std::uint8_t, 8>;    ///< likewise

    trace_id_type trace_id{};  ///< of all spans of a trace, in whatever program; zeros: none
    span_id_type span_id{};    ///< of one span of it; zeros: none
    bool sampled = false;      ///< whether it is recorded: bit 0 of the header's flags

    /// Neither id is all zeros, which stands for none.
    KCONTROL_DECL bool is_valid() const noexcept;
    /// In small hexadecimal digits, as OTLP and the header have them.
    KCONTROL_DECL std::string trace_id_text() const;
    KCONTROL_DECL std::string span_id_text() const;  ///< 16 of them

    /// Another span of the same trace; of a new one if this one is none, and then sampled.
    KCONTROL_DECL trace_context child(environment& env) const;

    friend bool operator==(const trace_context&, const trace_context&) = default;
};

/// "00-TRACE-SPAN-FLAGS".
KCONTROL_DECL std::string to_traceparent(const trace_context& of);

/// Reads a header's or an annotation's value. Nothing if it is not one: what a stranger wrote is no error. A version to
/// come is read as far as this one goes, as its authors want it.
KCONTROL_DECL std::optional<trace_context> parse_traceparent(std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/trace_context.ipp>
#endif
