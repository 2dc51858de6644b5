// Quantities: amounts of CPU, memory and other resources, as in "500m", "1.5Gi" and "2e3".
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/custom_codec.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// How a quantity is printed once its value has changed: in which family of suffixes.
enum class quantity_format : std::uint8_t {
    decimal_si,        ///< n u m k M G T P E: powers of 1000
    binary_si,         ///< Ki Mi Gi Ti Pi Ei: powers of 1024
    decimal_exponent,  ///< e3, e-6: powers of ten, in threes
};

/// resource.Quantity: an exact decimal amount and the text it was read from. Nothing passes through a double.
///
/// The text is kept as it was read until the value is changed; then it is the canonical one: no fraction, the largest
/// suffix that loses nothing. Amounts finer than 1n are rounded up (away from zero) to it, and binary ones beyond
/// 2^63-1 are capped there, as Kubernetes does. Other amounts have any size; those beyond 64 bits are slower.
/// Two quantities are equal if their amounts are: "1000m" == "1".
///
/// What Go does otherwise: it prints "1" for 1000E, having lost the suffix (here "1e21"); its value() overflows
/// silently (here it is capped), and rounds some negative ones towards zero (here all are rounded away from it). An
/// amount of more than 10,000 digits is rounded up to that many; a sum of amounts that are further apart than that is
/// the larger one. Source: k8s.io/apimachinery/pkg/api/resource, compared with version 0.36.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access. 16 bytes beside the text.
class quantity {
public:
    quantity() = default;
    /// A whole number: `quantity(3)` is "3".
    explicit quantity(std::int64_t number, quantity_format format = quantity_format::decimal_si)
        : quantity(number, 0, format) {}
    /// `mantissa` times ten to the power of `exponent`: quantity(1500, -3) is "1500m".
    KCONTROL_DECL quantity(std::int64_t mantissa, std::int32_t exponent,
                           quantity_format format = quantity_format::decimal_si);

    /// Reads a number and its suffix; see quantity_format. Errors: invalid_argument, naming the text and what is
    /// expected.
    static KCONTROL_DECL result<quantity> parse(std::string_view text);

    /// The text as it was read, or the canonical one if the value was changed or computed.
    const std::string& text() const noexcept { return text_; }
    /// The canonical text, which has no fraction and the largest suffix that loses nothing.
    KCONTROL_DECL std::string canonical() const;

    quantity_format format() const noexcept { return format_; }  ///< the family of suffixes that canonical() takes
    KCONTROL_DECL bool is_zero() const noexcept;                 ///< whatever the text: "0", "-0", "0Ki"
    /// -1, 0 or 1.
    KCONTROL_DECL int sign() const noexcept;

    /// The amount, rounded away from zero to a whole number. Beyond 64 bits: the largest or smallest there is.
    std::int64_t value() const { return scaled_value(0); }
    /// The amount in thousandths, rounded and capped likewise.
    std::int64_t milli_value() const { return scaled_value(-3); }
    /// The amount divided by ten to the power of `scale`, rounded and capped likewise.
    KCONTROL_DECL std::int64_t scaled_value(std::int32_t scale) const;
    /// The amount if it is a whole number of 64 bits.
    KCONTROL_DECL std::optional<std::int64_t> as_int64() const;
    /// The nearest double. Lossy: for figures and graphs, not for sums that are written back. Infinite beyond a double.
    KCONTROL_DECL double as_double() const;

    /// A sum takes the format of its left side, or of the right one if the left one is zero.
    KCONTROL_DECL quantity& operator+=(const quantity& other);
    KCONTROL_DECL quantity& operator-=(const quantity& other);  ///< the format as for +=
    KCONTROL_DECL quantity& operator*=(std::int64_t factor);    ///< keeps the format
    KCONTROL_DECL quantity operator-() const;                   ///< keeps the format; its text is the canonical one
    friend quantity operator+(quantity a, const quantity& b) { return a += b; }         ///< as +=
    friend quantity operator-(quantity a, const quantity& b) { return a -= b; }         ///< as -=
    friend quantity operator*(quantity a, std::int64_t factor) { return a *= factor; }  ///< as *=

    /// Rounds away from zero to a multiple of ten to the power of `scale`: by 0 to whole numbers.
    KCONTROL_DECL quantity& round_up(std::int32_t scale);
    /// The same amount in another format.
    KCONTROL_DECL quantity in_format(quantity_format format) const;

    /// By amount. Equal amounts may have different texts.
    friend std::weak_ordering operator<=>(const quantity& a, const quantity& b) { return a.compare(b); }
    friend bool operator==(const quantity& a, const quantity& b) { return a.compare(b) == 0; }

private:
    struct amount;  // an exact decimal of any size, in impl/quantity_amount.hpp

    KCONTROL_DECL std::weak_ordering compare(const quantity& other) const;
    KCONTROL_DECL amount exact() const;
    KCONTROL_DECL bool is_below(std::int64_t power) const;
    KCONTROL_DECL quantity& add(const quantity& other, int sign_of_other);
    KCONTROL_DECL void assign_small(std::int64_t mantissa, std::int64_t exponent);
    KCONTROL_DECL void set_amount(amount& value);  // normalises it; sets all but format_ and text_
    KCONTROL_DECL void assign(amount value);       // sets all but format_
    KCONTROL_DECL std::string print(const amount& value) const;
    KCONTROL_DECL std::string print_decimal(std::string digits, std::int64_t exponent) const;

    std::string text_ = "0";
    // The amount is mantissa_ * 10^exponent_, without trailing zeros; unless is_large_: then text_ holds it.
    std::int64_t mantissa_ = 0;
    std::int32_t exponent_ = 0;
    quantity_format format_ = quantity_format::decimal_si;
    bool is_large_ = false;
};

inline const std::string& to_string(const quantity& q) noexcept { return q.text(); }

/// In JSON a string; a number is read too, as the API server does.
template <>
struct custom_codec<quantity> {
    /// From a string, spaces around it passed over, or from a number. Errors: decode_failed.
    static KCONTROL_DECL result<void> decode(json::node from, quantity& to);
    static KCONTROL_DECL void encode(const quantity& from, json::writer& to);  ///< text(), as a string
    static bool empty(const quantity&) { return false; }                       ///< zero is written too
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/values/impl/quantity.ipp>
#include <kcontrol/values/impl/quantity_arithmetic.ipp>
#include <kcontrol/values/impl/quantity_print.ipp>
#endif
